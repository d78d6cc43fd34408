import { type Command, Option } from 'commander';
import { plantSizes } from '../simulator/plant/size.ts';
import { addTo, collect, optional, parseNumber } from './command-options.ts';
import type { Io, Runner } from './io.ts';

/** Adds `call`. */
export function addCall(program: Command, io: Io, runner: Runner): void {
  addTo(program, 'call', 'call any operation of the platform and print its reply')
    .argument('[operation]', 'name of the operation')
    .option('--list', 'list all operations, or the parameters of the named operation', false)
    .option('--param <name=value>', 'path or query parameter; may be repeated', collect, [])
    .addOption(optional('--body <file>', 'JSON body; - is stdin', 'no body'))
    .action((name: string | undefined, options) =>
      runner(async () => (await import('./commands/call.ts')).call(io, name, options)),
    );
}

/** Adds `simulate`. */
export function addSimulate(program: Command, io: Io, runner: Runner): void {
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
    .option('--replay-time-column <name>', 'the column with the times, where plantsync cannot tell')
    .option('--replay-timezone <zone>', 'zone of times without one in the files (IANA)', 'UTC')
    .addOption(
      new Option('--replay-date-order <order>', 'order of 01/02/2024 where files do not prove it').choices([
        'dmy',
        'mdy',
      ]),
    )
    .option('--replay-separator <name>', 'comma, semicolon, tab or blank, where plantsync cannot tell')
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
    .action((options) => runner(async () => (await import('./commands/simulate.ts')).simulate(io, options)));
}
