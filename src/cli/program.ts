import { Argument, Command, CommanderError, Option } from 'commander';
import { readVersion } from '../package-root.ts';
import { streams } from '../streams/index.ts';
import { addRange, addTo, optional, parseNumber, TIME_FORMS, zoneOption } from './command-options.ts';
import { type Shell, shells } from './commands/completion/shells.ts';
import { type Io, printText, type Runner, say } from './io.ts';
import { addExport, addGrants, addNotes, addRejects, addReset, addStores } from './ledger-commands.ts';
import { addCall, addSimulate } from './platform-commands.ts';
import { roles } from './roles.ts';

/**
 * Builds the whole command line. Each command hands its work to `runner`, which keeps the exit code. A
 * command imports its code only when it runs, so that help and refusals come at once.
 */
export function buildProgram(io: Io, runner: Runner): Command {
  const program = new Command('plantsync')
    .description('Keeps a Postgres database and an InfluxDB equal to an industrial platform.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => printText(io, text),
      writeErr: (text) => say(io, text),
      // The caller that catches the error prints it once.
      outputError: () => {},
    });
  addTo(program, 'init', 'write a commented plantsync.yaml, asking on a terminal')
    .option('--force', 'replace a file that exists already', false)
    .action((options) => runner(async () => (await import('./commands/init/init.ts')).init(io, options)));
  addTo(program, 'check', 'look at platform, token, clocks, stores, and read each operation once')
    .option('--notify', 'send a test message to each webhook, and call the heartbeat once', false)
    .action((options) => runner(async () => (await import('./commands/check.ts')).check(io, options)));
  addSync(program, io, runner);
  addBackfill(program, io, runner);
  addTo(program, 'run', 'run as a service')
    .addOption(
      new Option(
        '--role <role>',
        'the part of the service that this process runs; every part except all needs Redis',
      )
        .choices(roles)
        .default('all'),
    )
    .action((options) => runner(async () => (await import('./commands/run.ts')).run(io, options)));
  addControl(program, io, runner);
  addTo(program, 'health', 'ask the service on this machine whether it is alive')
    .option('--ready', 'ask also whether everything that the service needs is available', false)
    .action((options) => runner(async () => (await import('./commands/health.ts')).health(io, options)));
  addTo(program, 'status', 'answer whether all is well; show what is done, late, missing and refused')
    .addOption(
      new Option('--watch [seconds]', 'show it again and again, until Ctrl-C')
        .argParser(parseNumber)
        .preset('5')
        .conflicts('json'),
    )
    .action((options) =>
      runner(async () => (await import('./commands/status/status.ts')).status(io, options)),
    );
  addGaps(program, io, runner);
  addVerify(program, io, runner);
  addExport(program, io, runner);
  addTo(program, 'discover', 'show what the platform has, and the requests that reading it takes').action(
    (options) => runner(async () => (await import('./commands/discover.ts')).discover(io, options)),
  );
  addRejects(program, io, runner);
  addStores(program, io, runner);
  addReset(program, io, runner);
  addTo(program, 'config', 'show every option with its value, and where the value came from').action(
    (options) => runner(async () => (await import('./commands/config.ts')).showConfig(io, options)),
  );
  addTo(program, 'migrate', 'bring the tables up to date').action((options) =>
    runner(async () => (await import('./commands/migrate.ts')).migrate(io, options)),
  );
  addNotes(program, io, runner);
  addGrants(program, io, runner);
  addCall(program, io, runner);
  addSimulate(program, io, runner);
  addTo(program, 'completion', 'print a script by which a shell completes commands, options and names')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell: Shell, options) =>
      runner(async () =>
        (await import('./commands/completion/completion.ts')).completion(io, shell, { options, program }),
      ),
    );
  addTo(program, 'demo', 'try it: a simulated platform, stores of its own, and the service')
    .option('--once', 'end after one full cycle', false)
    .action((options) => runner(async () => (await import('./commands/demo/demo.ts')).demo(io, options)));
  return program;
}

function addSync(program: Command, io: Io, runner: Runner): void {
  const names = [...streams.map(({ name }) => name), 'history', 'current', 'alarms'].join(', ');
  addTo(program, 'sync', 'bring streams up to date now and exit')
    .argument('[stream...]', `streams: ${names} (default: all that are switched on)`)
    .option('--accept-deletes', 'delete missing rows of the streams named, however many they are', false)
    .option('--compare-all', 'compare every row with its table, also in lists that have not changed', false)
    .action((chosen: string[], options) =>
      runner(async () => (await import('./commands/sync.ts')).sync(io, chosen, options)),
    );
}

function addBackfill(program: Command, io: Io, runner: Runner): void {
  addRange(addTo(program, 'backfill', 'fill a range of history; stored points are not read again'))
    .option('--alarms', 'fill the history of alarms, instead of that of series', false)
    .option('--force', 'read stored points again', false)
    .option('--dry-run', 'print the plan and read nothing', false)
    .option('--on-workers', 'let the workers of the service read the range, in pieces; needs Redis', false)
    .action((options) =>
      runner(async () => (await import('./commands/backfill/backfill.ts')).backfill(io, options)),
    );
}

function addControl(program: Command, io: Io, runner: Runner): void {
  const load = () => import('./commands/pause-resume-trigger-cancel.ts');
  addTo(program, 'pause', 'let the service begin no runs of streams or jobs until they are resumed')
    .argument('[name...]', 'streams or jobs (default: everything)')
    .action((names: string[], options) => runner(async () => (await load()).pause(io, names, options)));
  addTo(program, 'resume', 'end a pause')
    .argument('[name...]', 'streams or jobs (default: all that is paused)')
    .action((names: string[], options) => runner(async () => (await load()).resume(io, names, options)));
  addTo(program, 'trigger', 'let the service run streams or jobs now')
    .argument('<name...>', 'streams or jobs')
    .action((names: string[], options) => runner(async () => (await load()).trigger(io, names, options)));
  addTo(program, 'cancel', 'end a backfill that is running in any process')
    .argument('[run...]', 'numbers of backfills, as status shows them (default: the only one)')
    .action((numbers: string[], options) => runner(async () => (await load()).cancel(io, numbers, options)));
}

function addGaps(program: Command, io: Io, runner: Runner): void {
  addTo(program, 'gaps', 'list ranges of history that are wanted and not stored')
    .addOption(optional('--from <time>', `start: ${TIME_FORMS}`, 'start of history of each selection'))
    .addOption(optional('--to <time>', 'end, not included', 'now'))
    .addOption(zoneOption())
    .addOption(optional('--object <glob>', 'only these objects', '*'))
    .addOption(optional('--property <glob>', 'only these properties', '*'))
    .option('--summary', 'only add up what is missing, for each selection and store')
    .action((options) => runner(async () => (await import('./commands/gaps/gaps.ts')).gaps(io, options)));
}

function addVerify(program: Command, io: Io, runner: Runner): void {
  addRange(addTo(program, 'verify', 'read the platform again and compare it with the stores'))
    .option('--repair', 'write missing and different points again, and remove extra points', false)
    .action((options) => runner(async () => (await import('./commands/verify.ts')).verify(io, options)));
}

/** Tells whether commander threw the error. For help such an error is no failure. */
export function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof CommanderError;
}
