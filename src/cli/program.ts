import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { logLevels } from '../log.ts';
import { plantSizes } from '../simulator/plant/size.ts';
import { streams } from '../streams/index.ts';
import { type Io, printText, type Runner, say } from './io.ts';
import { readVersion } from './package-root.ts';
import { roles } from './roles.ts';

/**
 * The whole command line. Each command hands its work to `runner`, which keeps the exit code. What a command needs is
 * imported when it is given, so that help and refusals come at once.
 */
export function buildProgram(io: Io, runner: Runner): Command {
  const program = new Command('plantsync')
    .description('Keeps a Postgres database and an InfluxDB equal to an industrial platform.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => printText(io, text),
      writeErr: (text) => say(io, text),
      // Said once, by whoever catches the error.
      outputError: () => {},
    });
  addTo(program, 'init', 'write a commented plantsync.yaml, asking on a terminal')
    .option('--force', 'replace a file that is there already', false)
    .action((options) => runner(async () => (await import('./init.ts')).init(io, options)));
  addTo(program, 'check', 'look at platform, token, clocks, stores, and read each operation once').action(
    (options) => runner(async () => (await import('./check.ts')).check(io, options)),
  );
  addSync(program, io, runner);
  addBackfill(program, io, runner);
  addTo(program, 'run', 'run as a service')
    .addOption(
      new Option('--role <role>', 'the part of it that this process is; others than all need Redis')
        .choices(roles)
        .default('all'),
    )
    .action((options) => runner(async () => (await import('./run.ts')).run(io, options)));
  addControl(program, io, runner);
  addTo(program, 'health', 'ask the service on this machine whether it lives')
    .option('--ready', 'whether all that it needs is there, too', false)
    .action((options) => runner(async () => (await import('./health.ts')).health(io, options)));
  addTo(program, 'status', 'show what is done, missing and refused').action((options) =>
    runner(async () => (await import('./status.ts')).status(io, options)),
  );
  addGaps(program, io, runner);
  addVerify(program, io, runner);
  addTo(program, 'discover', 'show what the platform has, and the requests that reading it takes').action(
    (options) => runner(async () => (await import('./discover.ts')).discover(io, options)),
  );
  addRejects(program, io, runner);
  addStores(program, io, runner);
  addReset(program, io, runner);
  addTo(program, 'migrate', 'bring the tables up to date').action((options) =>
    runner(async () => (await import('./migrate.ts')).migrate(io, options)),
  );
  addCall(program, io, runner);
  addSimulate(program, io, runner);
  addTo(program, 'demo', 'try it: a simulated platform, stores of its own, and the service')
    .option('--once', 'end after one full cycle', false)
    .action((options) => runner(async () => (await import('./demo.ts')).demo(io, options)));
  return program;
}

/** A command with the options that every command takes. */
function addTo(program: Command, name: string, about: string, how: { isDefault?: true } = {}): Command {
  return program
    .command(name, how)
    .description(about)
    .addOption(optional('--config <file>', 'configuration file', '$PLANTSYNC_CONFIG or plantsync.yaml'))
    .addOption(
      optional('--log-level <level>', 'least important entries to log', 'log.level').choices(logLevels),
    )
    .option('--json', 'machine-readable output on stdout', false)
    .allowExcessArguments(false);
}

/** An option whose default is no fixed value, so that commander cannot show it. */
function optional(flags: string, about: string, fallback: string): Option {
  return new Option(flags, `${about} (default: ${fallback})`);
}

const timeForms = 'now, -7d, 2024-05-01 or 2024-05-01T08:00:00+08:00';
const zoneOption = () =>
  optional('--timezone <zone>', 'zone of times that have none', 'platform.timezone, else UTC');

/** The options of a command that is about a range of the history of some series. */
function addRange(command: Command): Command {
  return command
    .option('--from <time>', `start, always needed: ${timeForms}`)
    .addOption(optional('--to <time>', 'end, not included', 'now'))
    .addOption(zoneOption())
    .option('--object <glob>', 'only these objects', '*')
    .option('--property <glob>', 'only these properties', '*');
}

function addSync(program: Command, io: Io, runner: Runner): void {
  const names = [...streams.map(({ name }) => name), 'history', 'current', 'alarms'].join(', ');
  addTo(program, 'sync', 'bring streams up to date now and exit')
    .argument('[stream...]', `streams: ${names} (default: all that are switched on)`)
    .option('--accept-deletes', 'delete missing rows of the streams named, however many they are', false)
    .action((chosen: string[], options) =>
      runner(async () => (await import('./sync.ts')).sync(io, chosen, options)),
    );
}

function addBackfill(program: Command, io: Io, runner: Runner): void {
  addRange(addTo(program, 'backfill', 'fill a range of history; what is stored is not read again'))
    .option('--alarms', 'the history of alarms, in place of that of series', false)
    .option('--force', 'read again what is stored', false)
    .option('--dry-run', 'print the plan and read nothing', false)
    .option('--on-workers', 'let the workers of the service read it, in pieces; needs Redis', false)
    .action((options) => runner(async () => (await import('./backfill.ts')).backfill(io, options)));
}

function addControl(program: Command, io: Io, runner: Runner): void {
  const load = () => import('./control.ts');
  addTo(program, 'pause', 'let the service begin no runs of streams or jobs, until they are resumed')
    .argument('[name...]', 'streams or jobs (default: everything)')
    .action((names: string[], options) => runner(async () => (await load()).pause(io, names, options)));
  addTo(program, 'resume', 'end a pause')
    .argument('[name...]', 'streams or jobs (default: all that is paused)')
    .action((names: string[], options) => runner(async () => (await load()).resume(io, names, options)));
  addTo(program, 'trigger', 'let the service run streams or jobs now')
    .argument('<name...>', 'streams or jobs')
    .action((names: string[], options) => runner(async () => (await load()).trigger(io, names, options)));
  addTo(program, 'cancel', 'end a backfill that is running, in whatever process')
    .argument('[run...]', 'numbers of its runs, as status shows them (default: the only one)')
    .action((numbers: string[], options) => runner(async () => (await load()).cancel(io, numbers, options)));
}

function addGaps(program: Command, io: Io, runner: Runner): void {
  addTo(program, 'gaps', 'list ranges of history that are wanted and not stored')
    .addOption(optional('--from <time>', `start: ${timeForms}`, 'history.start'))
    .addOption(optional('--to <time>', 'end, not included', 'now'))
    .addOption(zoneOption())
    .addOption(optional('--object <glob>', 'only these objects', '*'))
    .addOption(optional('--property <glob>', 'only these properties', '*'))
    .action((options) => runner(async () => (await import('./gaps.ts')).gaps(io, options)));
}

function addVerify(program: Command, io: Io, runner: Runner): void {
  addRange(addTo(program, 'verify', 'read the platform again and compare it with what is stored'))
    .option('--repair', 'write again what is missing or different, and remove what is extra', false)
    .action((options) => runner(async () => (await import('./verify.ts')).verify(io, options)));
}

function addRejects(program: Command, io: Io, runner: Runner): void {
  const rejects = program.command('rejects').description('list, show and try again what could not be used');
  const ofStream = () => optional('--stream <name>', 'only this stream', 'all');
  const load = () => import('./rejects.ts');
  addTo(rejects, 'list', 'list the cases, the newest first', { isDefault: true })
    .addOption(ofStream())
    .option('--all', 'also those that are settled', false)
    .option('--limit <number>', 'cases to list', parseNumber, 100)
    .action((options) => runner(async () => (await load()).listRejects(io, options)));
  addTo(rejects, 'show', 'show one case in full, with what was received')
    .argument('<id>', 'number of the case')
    .action((id: string, options) => runner(async () => (await load()).showReject(io, id, options)));
  addTo(rejects, 'replay', 'try again what was refused, and settle what does not recur')
    .argument('[id...]', 'numbers of cases (default: all that are open)')
    .addOption(ofStream())
    .action((ids: string[], options) =>
      runner(async () => (await import('./rejects-replay.ts')).replayCases(io, ids, options)),
    );
}

function addStores(program: Command, io: Io, runner: Runner): void {
  const stores = program
    .command('stores')
    .description('list the stores that the ledger knows, and say which one InfluxDB is');
  const load = () => import('./stores.ts');
  addTo(stores, 'list', 'list the stores, and what is covered of each', { isDefault: true }).action(
    (options) => runner(async () => (await load()).listStores(io, options)),
  );
  addTo(stores, 'adopt', 'the configured InfluxDB is a known store under another address or name')
    .argument('<store>', 'the known store, as stores list shows it')
    .action((store: string, options) => runner(async () => (await load()).adoptStore(io, store, options)));
  addTo(stores, 'add', 'the configured InfluxDB is a new store, to be filled from its start').action(
    (options) => runner(async () => (await load()).addStore(io, options)),
  );
}

function addReset(program: Command, io: Io, runner: Runner): void {
  const names = [...streams.map(({ name }) => name), 'history', 'alarms'].join(', ');
  addTo(program, 'reset', 'forget how far streams are, so that everything is read again; the data stays')
    .argument('[stream...]', `streams: ${names}`)
    .addOption(optional('--store <id>', 'forget the history of this store only', 'all'))
    .option('--platform', 'forget what was found out about the platform', false)
    .action((chosen: string[], options) =>
      runner(async () => (await import('./reset.ts')).reset(io, chosen, options)),
    );
}

function addCall(program: Command, io: Io, runner: Runner): void {
  addTo(program, 'call', 'call any operation of the platform and print its reply')
    .argument('[operation]', 'name of the operation')
    .option('--list', 'list all operations, or the parameters of the one that is named', false)
    .option('--param <name=value>', 'path or query parameter; may be repeated', collect, [])
    .addOption(optional('--body <file>', 'JSON body; - is stdin', 'no body'))
    .action((name: string | undefined, options) =>
      runner(async () => (await import('./call.ts')).call(io, name, options)),
    );
}

function addSimulate(program: Command, io: Io, runner: Runner): void {
  addTo(program, 'simulate', 'run the simulated platform alone')
    .option('--port <number>', 'port to listen on; 0 takes a free one', parseNumber, 8480)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(
      new Option('--size <size>', 'size of the plant').choices(Object.keys(plantSizes)).default('small'),
    )
    .option('--seed <number>', 'equal seeds make equal plants', parseNumber, 1)
    .option('--awkward', 'add what few platforms allow: NUL, dots, line breaks in names', false)
    .option('--malformed', 'add what no contract allows: entries without a key, unknown members', false)
    .option(
      '--replay <[object=]file>',
      'a CSV file whose columns become series of an object, called like the file by default; may be repeated',
      collect,
      [],
    )
    .option('--replay-time-column <name>', 'the column that has the times, where that cannot be told')
    .option('--replay-timezone <zone>', 'zone of times without one in the files (IANA)', 'UTC')
    .addOption(
      new Option('--replay-date-order <order>', 'order of 01/02/2024 where files do not prove it').choices([
        'dmy',
        'mdy',
      ]),
    )
    .option('--replay-separator <name>', 'comma, semicolon, tab or blank, where that cannot be told')
    .option('--replay-encoding <name>', 'encoding of files without a byte-order mark, such as gbk')
    .option('--token-lifetime <seconds>', 'life of an access token', parseNumber, 7200)
    .option(
      '--dialect <name=value>',
      'a variant of the platform, may be repeated; help lists all',
      collect,
      [],
    )
    .option(
      '--fault <rule>',
      'a fault, like {kind: status, status: 503, times: 3}, may be repeated; help lists all',
      collect,
      [],
    )
    .action((options) => runner(async () => (await import('./simulate.ts')).simulate(io, options)));
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

function parseNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a whole number.');
}

/** What commander throws: for help it is no error. */
export function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof CommanderError;
}
