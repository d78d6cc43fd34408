import { parse } from 'yaml';
import { messageOf, UsageError } from '../../errors.ts';
import { advise, checkValue, describeKeys } from '../../simulator/check-value.ts';
import { type FaultRule, faultKinds, faultSchema } from '../../simulator/faults.ts';
import type { plantSizes } from '../../simulator/plant/size.ts';
import type { ReplayFile } from '../../simulator/recorded/read-table.ts';
import type { Replayed } from '../../simulator/recorded/recorded-series.ts';
import { defaultDialect, dialectChanges, type SimulatorDialect } from '../../simulator/simulator-dialect.ts';
import type { Simulator } from '../../simulator/simulator-options.ts';
import { startSimulator } from '../../simulator/start-simulator.ts';
import { whenAborted } from '../../sleep.ts';
import { plural } from '../../sync/count-text.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { cutText } from '../output/table.ts';

export interface SimulateOptions extends CommonOptions {
  readonly port: number;
  readonly host: string;
  readonly size: keyof typeof plantSizes;
  readonly seed: number;
  readonly awkward?: boolean;
  readonly malformed?: boolean;
  readonly replay: readonly string[];
  readonly replayTimeColumn?: string;
  readonly replayTimezone: string;
  readonly replayDateOrder?: 'dmy' | 'mdy';
  readonly replaySeparator?: string;
  readonly replayEncoding?: string;
  readonly tokenLifetime: number;
  readonly dialect: readonly string[];
  readonly fault: readonly string[];
}

/** Runs `plantsync simulate`: the simulated platform alone, until it is interrupted. */
export async function simulate(io: Io, options: SimulateOptions): Promise<number> {
  const { port, host, size, seed, awkward = false, malformed = false } = options;
  const values = listValues(options);
  if (values) {
    print(io, options, { json: values, lines: () => values });
    return 0;
  }
  const simulator = await start({
    port,
    host,
    size,
    seed,
    awkward,
    malformed,
    replay: options.replay.map((text) => readReplay(text, options)),
    tokenLifetimeSec: options.tokenLifetime,
    dialect: readDialect(options.dialect),
    faults: options.fault.map(readFault),
  });
  try {
    const { baseUrl, appId, secret, replayed } = simulator;
    print(io, options, { json: { baseUrl, appId, secret, replayed }, lines: () => describe(simulator) });
    await whenAborted(io.signal);
  } finally {
    await simulator.close();
  }
  return 0;
}

async function start(options: Parameters<typeof startSimulator>[0]): Promise<Simulator> {
  try {
    return await startSimulator(options);
  } catch (error) {
    throw new UsageError('simulator.cannot_start', `the simulator cannot start: ${messageOf(error)}`);
  }
}

function describe({ baseUrl, appId, secret, replayed }: Simulator): string[] {
  return [
    `the simulated platform is at ${baseUrl}`,
    ...replayed.flatMap(describeReplayed),
    '',
    'point plantsync at it from another terminal:',
    `  export PLANTSYNC_PLATFORM__BASE_URL=${baseUrl}`,
    `  export PLANTSYNC_PLATFORM__APP_ID=${appId}`,
    `  export PLANTSYNC_PLATFORM__SECRET=${secret}`,
    '  plantsync sync',
    ...replayed.flatMap(describeBackfill),
    '',
    `faults, dialect, counts and truth: ${baseUrl}/simulator`,
  ];
}

/** Shows some units, so that the line stays short. */
function shortenUnits(units: readonly string[]): string {
  const named = units.filter((unit) => unit !== '').map((unit) => cutText(unit, 10));
  return [...named.slice(0, 2), ...(named.length > 2 ? ['…'] : [])].join(', ');
}

/** Describes a replayed file: a line for the object, and one for each series with its type and its points. */
function describeReplayed({ object, rows, units, firstMs, lastMs, columns }: Replayed): string[] {
  return [
    `  object ${object} replays ${plural(rows, 'row')},`,
    `  ${isoTime(firstMs)} to ${isoTime(lastMs)}`,
    ...(units === undefined
      ? []
      : [`    left out: the row of units below the header (${shortenUnits(units)})`]),
    ...columns.map(({ name, primitiveType, points, missing, numbers, firstText }) => {
      const mixed =
        firstText !== undefined && numbers > 0
          ? `, mixed: ${numbers} numbers, ${points - numbers} texts such as ${JSON.stringify(firstText)}`
          : '';
      return `    ${name}: ${primitiveType}, ${plural(points, 'point')}, ${missing} missing${mixed}`;
    }),
  ];
}

/** Returns the command that loads all rows of a file, since a first `sync` reads only the last days. */
function describeBackfill({ object, firstMs, lastMs }: Replayed): string[] {
  const second = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const name = `'${object.replace(/[\\*?[\]{}()!@+]/g, '\\$&').replaceAll("'", `'\\''`)}'`;
  return [
    `  plantsync backfill --object ${name} \\`,
    `    --from ${second(firstMs)} --to ${second(Math.floor(lastMs) + 1000)}`,
  ];
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/**
 * Reads `object=file`, or a file alone. The text before a `=` is an object unless it has a slash, as in
 * `./a=b.csv`.
 */
function readReplay(text: string, options: SimulateOptions): ReplayFile {
  const [, object, path = text] = /^([^=/\\]+)=(.+)$/s.exec(text) ?? [];
  return {
    path,
    object,
    timeColumn: options.replayTimeColumn,
    zone: options.replayTimezone,
    dateOrder: options.replayDateOrder,
    separator: options.replaySeparator,
    encoding: options.replayEncoding,
  };
}

/**
 * Returns the help for `--dialect help` or `--fault help`: each name with the values that it takes. Returns
 * undefined without such an option.
 */
function listValues({ dialect, fault }: SimulateOptions): string[] | undefined {
  if (dialect.includes('help'))
    return describeKeys(dialectChanges).map(
      ({ key, values }) => `${key}: ${values} (default: ${JSON.stringify(defaultDialect[key as 'zone'])})`,
    );
  if (!fault.includes('help')) return undefined;
  return describeKeys(faultSchema).map(({ key, values }) => `${key}: ${values}`);
}

/** Reads `name=value` pairs. The values are YAML, so numbers and true keep their types. */
function readDialect(pairs: readonly string[]): Partial<SimulatorDialect> {
  const read = pairs.map((pair) => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
    const where = `--dialect ${pair}`;
    if (name === undefined) throw new UsageError('usage.wrong_value', `${where}: is not name=value`);
    if (!Object.hasOwn(defaultDialect, name))
      throw new UsageError(
        'usage.wrong_value',
        `${where}: there is no ${name}; ${advise(name, Object.keys(defaultDialect))}`,
      );
    return check(where, dialectChanges, { [name]: readYaml(where, value ?? '') });
  });
  return Object.assign({}, ...read);
}

function readFault(text: string): FaultRule {
  const where = `--fault ${text}`;
  const rule = readYaml(where, text);
  if (typeof rule !== 'object' || rule === null || !('kind' in rule))
    throw new UsageError(
      'usage.wrong_value',
      `${where}: is not like {kind: status, operation: listPersons, status: 503, times: 3}`,
    );
  const kind = String(rule.kind);
  if (!faultKinds.some((known) => known === kind))
    throw new UsageError(
      'usage.wrong_value',
      `${where}: there is no kind ${kind}; ${advise(kind, faultKinds)}`,
    );
  return check(where, faultSchema, rule);
}

function check<T>(where: string, schema: Parameters<typeof checkValue<T>>[0], value: unknown): T {
  try {
    return checkValue(schema, value, 'rule');
  } catch (error) {
    throw new UsageError('usage.wrong_value', `${where}: ${messageOf(error)}`);
  }
}

function readYaml(where: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError('usage.wrong_value', `${where}: ${messageOf(error)}`);
  }
}
