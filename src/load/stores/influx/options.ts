import { UsageError } from '../../../errors.ts';
import { createRedactor, type Redact } from '../../../redact.ts';

/** The tags and fields of the events of alarms, in addition to `object`, `property` and `value`. */
const alarmTags = ['name', 'alarm_type', 'priority', 'transition', 'place'];
const alarmFields = ['started_at', 'description', 'username'];

/** The address of one InfluxDB, and the place in it for the points. */
export interface InfluxOptions {
  /** The base URL without credentials, for example `http://localhost:8086`. A path prefix is kept. */
  readonly url: string;
  /** The name of the store in the ledger, so that its address may change. The default is the address. */
  readonly name?: string | undefined;
  /** The main version of the server's write interface: 1 writes to `/write`, 2 and 3 to `/api/v2/write`. */
  readonly version: 1 | 2 | 3;
  /** 1.x: the database, which `prepare` makes if it does not exist. 3.x: the same as `bucket`. */
  readonly database?: string | undefined;
  /** 1.x: the retention policy. The default is the default policy of the database. */
  readonly retentionPolicy?: string | undefined;
  /** PEM text of an authority that is trusted in addition to the public ones. */
  readonly ca?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** 2.x: the name or id of the organization. */
  readonly org?: string | undefined;
  /** 2.x: the bucket, which must exist. 3.x: the database. */
  readonly bucket?: string | undefined;
  readonly token?: string | undefined;
  /** The measurement of history. The default is `runtime`. */
  readonly measurement?: string | undefined;
  /** The measurement of polled values. The default is `runtime_polled`. */
  readonly polledMeasurement?: string | undefined;
  /** The measurement of the events of alarms. The default is `alarm_events`. */
  readonly alarmMeasurement?: string | undefined;
  /**
   * The constant tags of every point. They are a part of the store's identity: points with other tags are
   * other series.
   */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** 1.x: whether `prepare` may make the database. The default is true. */
  readonly createDatabase?: boolean | undefined;
  /**
   * How long the server keeps points, if the server does not tell. A new database gets it. The default is for
   * ever.
   */
  readonly retentionMs?: number | undefined;
  /** The most lines of a request. The default is 10,000. */
  readonly batchLines?: number | undefined;
  /** The most bytes of line protocol in a request, before compression. The default is 4 MiB. */
  readonly batchBytes?: number | undefined;
  /** Whether requests are compressed. The default is true. */
  readonly gzip?: boolean | undefined;
  /** The longest time for one request. The default is 30 s. */
  readonly timeoutMs?: number | undefined;
  /**
   * How long a request is tried again while the server is busy or away, before the write fails. The default
   * is 30 s.
   */
  readonly retryForMs?: number | undefined;
}

/** The options with every default filled in, and the values that follow from them. */
export interface InfluxTarget {
  readonly options: InfluxOptions;
  /** The base URL without a slash at its end. */
  readonly baseUrl: string;
  /** The path and query of the write operation, for precision in microseconds. They hold no secret. */
  readonly writePath: string;
  /** The `Authorization` header. Undefined without credentials. */
  readonly authorization: string | undefined;
  /** Removes the credentials from a message of the server, or of a gateway before it. */
  readonly redact: Redact;
  /** The database or bucket. */
  readonly place: string;
  /** The name of the store for people: `InfluxDB "plant" at host:8086`. */
  readonly label: string;
  readonly measurement: string;
  readonly polledMeasurement: string;
  readonly alarmMeasurement: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly batchLines: number;
  readonly batchBytes: number;
  readonly gzip: boolean;
  readonly timeoutMs: number;
  readonly retryForMs: number;
}

/** Checks the options and fills in the defaults. Throws a `UsageError` that lists all problems. */
export function resolveInfluxOptions(options: InfluxOptions): InfluxTarget {
  const place = (options.version === 1 ? options.database : (options.bucket ?? options.database)) ?? '';
  const problems = findProblems(options, place);
  if (problems.length > 0)
    throw new UsageError('config.wrong_value', 'InfluxDB cannot be used as configured:', problems);
  const url = new URL(options.url);
  return {
    options,
    baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    writePath: writePathOf(options, place),
    authorization: authorizationOf(options),
    redact: createRedactor([options.password, options.token].filter((secret) => secret !== undefined)),
    place,
    label: `InfluxDB "${place}" at ${url.host}`,
    measurement: options.measurement ?? 'runtime',
    polledMeasurement: options.polledMeasurement ?? 'runtime_polled',
    alarmMeasurement: options.alarmMeasurement ?? 'alarm_events',
    tags: options.tags ?? {},
    batchLines: options.batchLines ?? 10_000,
    batchBytes: options.batchBytes ?? 4 * 1024 * 1024,
    gzip: options.gzip ?? true,
    timeoutMs: options.timeoutMs ?? 30_000,
    retryForMs: options.retryForMs ?? 30_000,
  };
}

/**
 * Returns the identity of a destination in the ledger. Each part is encoded, so two destinations never have
 * the same identity.
 */
export function influxStoreId(target: InfluxTarget): string {
  const { options, place, measurement, tags } = target;
  const parts = [options.org, place, options.retentionPolicy, measurement].filter(
    (part) => part !== undefined,
  );
  const constants = Object.keys(tags)
    .sort()
    .map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(tags[name] ?? '')}`);
  const path = parts.map(encodeURIComponent).join('/');
  return `${influxStorePrefix(target)}/${path}${constants.length > 0 ? `?${constants.join('&')}` : ''}`;
}

/** Returns the beginning of the identity, which tells the server: its name, or else its address. */
export function influxStorePrefix({ options, baseUrl }: Pick<InfluxTarget, 'options' | 'baseUrl'>): string {
  return `influx:${options.name ?? baseUrl.replace(/^https?:/, '')}`;
}

function writePathOf(options: InfluxOptions, place: string): string {
  // 1.x knows only `u`. It takes the `us` of newer versions for nanoseconds, without an error.
  if (options.version === 1) {
    const query = new URLSearchParams({ db: place, precision: 'u' });
    if (options.retentionPolicy !== undefined) query.set('rp', options.retentionPolicy);
    return `/write?${query}`;
  }
  return `/api/v2/write?${new URLSearchParams({ org: options.org ?? '', bucket: place, precision: 'us' })}`;
}

function authorizationOf({ version, username, password, token }: InfluxOptions): string | undefined {
  if (version !== 1) return token === undefined ? undefined : `Token ${token}`;
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
}

function findProblems(options: InfluxOptions, place: string): string[] {
  const problems: string[] = [];
  if (place === '') problems.push(`${options.version === 2 ? 'bucket' : 'database'} is missing`);
  if (options.version === 2 && !options.org) problems.push('org is missing');
  const url = URL.canParse(options.url) ? new URL(options.url) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    problems.push('url is not an http or https address');
  else if (url.username !== '' || url.password !== '' || url.search !== '')
    problems.push('url holds credentials or a query: give them as options of their own');
  else if (/\/api\/v2\/?$/.test(url.pathname))
    problems.push('url ends in /api/v2: give the address before it');
  const reserved = [
    'object',
    'property',
    'function',
    'time',
    'value',
    'text',
    ...alarmTags,
    ...alarmFields,
    '',
  ];
  for (const name of Object.keys(options.tags ?? {}))
    if (reserved.includes(name) || name.startsWith('_')) problems.push(`"${name}" cannot be a constant tag`);
  for (const name of [options.measurement, options.polledMeasurement, options.alarmMeasurement])
    if (name !== undefined && !/^[^#_\s\\][^\n\r\\]*$/.test(name))
      problems.push(`"${name}" cannot be a measurement`);
  return problems;
}
