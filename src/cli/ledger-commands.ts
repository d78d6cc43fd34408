import { type Command, Option } from 'commander';
import { streams } from '../streams/index.ts';
import { pointFormats } from '../sync/explore/point-lines.ts';
import { addRange, addTo, optional, parseNumber } from './command-options.ts';
import type { Io, Runner } from './io.ts';

/** Adds `rejects` with its commands. */
export function addRejects(program: Command, io: Io, runner: Runner): void {
  const rejects = program
    .command('rejects')
    .description('list, show, replay and dismiss what could not be used');
  const ofStream = () => optional('--stream <name>', 'only this stream', 'all');
  const load = () => import('./commands/rejects/rejects.ts');
  addTo(rejects, 'list', 'list the cases, the newest first', { isDefault: true })
    .addOption(ofStream())
    .option('--all', 'list also settled cases', false)
    .option('--limit <number>', 'cases to list', parseNumber, 100)
    .action((options) => runner(async () => (await load()).listRejects(io, options)));
  addTo(rejects, 'show', 'show one case in full, with what was received')
    .argument('<id>', 'number of the case')
    .action((id: string, options) => runner(async () => (await load()).showReject(io, id, options)));
  addTo(rejects, 'replay', 'try again what was refused, and settle the cases that do not recur')
    .argument('[id...]', 'numbers of cases (default: all that are open)')
    .addOption(ofStream())
    .action((ids: string[], options) =>
      runner(async () => (await import('./commands/rejects/replay.ts')).replayCases(io, ids, options)),
    );
  addTo(rejects, 'dismiss', 'close cases that nobody will mend; a case that is met again opens again')
    .argument('<id...>', 'numbers of cases')
    .option('--note <text>', 'who dismisses them, and why')
    .action((ids: string[], options) =>
      runner(async () => (await import('./commands/rejects/dismiss.ts')).dismissCases(io, ids, options)),
    );
}

/** Adds `export`. */
export function addExport(program: Command, io: Io, runner: Runner): void {
  addRange(addTo(program, 'export', 'write stored points as CSV or JSON lines'))
    .addOption(optional('--store <name>', 'kind or identity of the store', 'the first store of history'))
    .option('--stream <name>', 'history, or an aggregate such as history/300s/mean', 'history')
    .addOption(
      new Option(
        '--format <format>',
        'form of the lines (default: as the name of the file, else csv)',
      ).choices(pointFormats),
    )
    .addOption(optional('--output <file>', 'file to write; a name in .gz makes it compressed', 'stdout'))
    .action((options) =>
      runner(async () => (await import('./commands/export.ts')).exportPoints(io, options)),
    );
}

/** Adds `stores` with its commands. */
export function addStores(program: Command, io: Io, runner: Runner): void {
  const stores = program
    .command('stores')
    .description('list the stores that the ledger knows, and say which of them a configured one is');
  const load = () => import('./commands/stores.ts');
  addTo(stores, 'list', 'list the stores, and how many series each covers', { isDefault: true }).action(
    (options) => runner(async () => (await load()).listStores(io, options)),
  );
  addTo(stores, 'adopt', 'a configured store is a known one under another address or name')
    .argument('<store>', 'the known store, as stores list shows it')
    .action((store: string, options) => runner(async () => (await load()).adoptStore(io, store, options)));
  addTo(stores, 'add', 'a configured store is a new one, to be filled from its start')
    .argument('[store]', 'the new store, as stores list shows it (default: the only one that is configured)')
    .action((store: string | undefined, options) =>
      runner(async () => (await load()).addStore(io, store, options)),
    );
}

/** Adds `reset`. */
export function addReset(program: Command, io: Io, runner: Runner): void {
  const names = [...streams.map(({ name }) => name), 'history', 'alarms'].join(', ');
  addTo(program, 'reset', 'forget how far streams are, so that everything is read again; the data stays')
    .argument('[stream...]', `streams: ${names}`)
    .addOption(optional('--store <id>', 'forget the history of this store only', 'all'))
    .option('--platform', 'forget what plantsync found out about the platform', false)
    .action((chosen: string[], options) =>
      runner(async () => (await import('./commands/reset.ts')).reset(io, chosen, options)),
    );
}

/** Adds `grants`. */
export function addGrants(program: Command, io: Io, runner: Runner): void {
  addTo(program, 'grants', 'print what a role needs in PostgreSQL to read the data, or to write it')
    .option('--reader <role>', 'a role that reads the data and the views, as Grafana does')
    .option('--writer <role>', 'a role that does the work and does not own the tables')
    .option('--apply', 'run the statements, instead of printing them', false)
    .option(
      '--keep-public',
      'leave alone what everybody may do: temporary tables, tables in schema public',
      false,
    )
    .action((options) => runner(async () => (await import('./commands/grants.ts')).grants(io, options)));
}

/** Adds `notes` with its commands. */
export function addNotes(program: Command, io: Io, runner: Runner): void {
  const notes = program
    .command('notes')
    .description('list, import and export what people know of properties: units, names, limits');
  addTo(notes, 'list', 'list the notes', { isDefault: true })
    .addOption(optional('--object <glob>', 'only notes of these objects', '*'))
    .addOption(optional('--property <glob>', 'only notes of these properties', '*'))
    .action((options) =>
      runner(async () => (await import('./commands/notes/notes.ts')).listNotes(io, options)),
    );
  addTo(notes, 'import', 'bring the notes of a CSV file into PostgreSQL, all of them or none')
    .argument('<file>', 'the CSV file; - is stdin')
    .option('--dry-run', 'tell what would change, and change nothing', false)
    .option('--delete-missing', 'delete the notes that the file lacks', false)
    .action((file: string, options) =>
      runner(async () => (await import('./commands/notes/import-notes.ts')).importNotes(io, file, options)),
    );
  addTo(notes, 'export', 'write all notes as CSV, which import takes back')
    .addOption(optional('--output <file>', 'file to write', 'stdout'))
    .addOption(
      new Option('--separator <name>', 'what divides cells; with semicolons numbers have decimal commas')
        .choices(['comma', 'semicolon'])
        .default('comma'),
    )
    .action((options) =>
      runner(async () => (await import('./commands/notes/export-notes.ts')).exportNotes(io, options)),
    );
}
