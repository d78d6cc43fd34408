import { StoreError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { MissingDatabaseError } from '../missing-database.ts';
import type { InfluxTarget } from './options.ts';
import { type InfluxHttp, type InfluxReply, quoteIdentifier, replyError } from './query-client.ts';

/**
 * Checks that the server is an InfluxDB (or behaves like one), that it accepts the login, and that the
 * database or bucket exists. Makes a missing database of 1.x. Resolves to whether it was made, and to how
 * long the server keeps points (in milliseconds; undefined for ever or unknown). Throws a `StoreError` with
 * the remedy.
 */
export async function prepareInflux(
  http: InfluxHttp,
  target: InfluxTarget,
  log: Logger,
): Promise<{ made: boolean; retentionMs: number | undefined }> {
  const server = await greet(http, target);
  log.debug({ store: target.label, server }, 'InfluxDB answers');
  const { version, retentionMs } = target.options;
  const made = version === 1 && (await ensureDatabase(http, target, log));
  // A server of version 3 makes its database at the first write. No API of it tells the retention.
  const readers = { 1: readRetentionPolicy, 2: readBucket, 3: async () => undefined };
  const told = (await readers[version](http, target, log)) ?? retentionMs;
  return { made, retentionMs: told === Number.POSITIVE_INFINITY ? undefined : told };
}

/**
 * Asks `/ping` and resolves to the version. The answer is 204 with the version in a header, or (3.x) 200 with
 * JSON. Throws a `StoreError` if the server is no InfluxDB, or not of the configured version.
 */
export async function greet(http: InfluxHttp, target: InfluxTarget): Promise<string> {
  const reply = await http.get('/ping');
  if (reply.status === 401 || reply.status === 403) throw replyError(reply, target, 'the login');
  const header = reply.headers['x-influxdb-version'];
  const body = reply.json as { version?: unknown } | null | undefined;
  const version =
    typeof header === 'string' ? header : typeof body?.version === 'string' ? body.version : undefined;
  // Compatible servers tell a version 1 as well, but no build.
  if (
    version?.match(/^v?1\./) &&
    reply.headers['x-influxdb-build'] !== undefined &&
    target.options.version !== 1
  )
    throw new StoreError(
      'influx.wrong_version',
      `${target.label}: this is InfluxDB ${version}: set influx.version: 1, and influx.database`,
      { action: 'stop' },
    );
  if (version !== undefined) return version;
  if (reply.status === 204) return 'unknown';
  throw new StoreError(
    'influx.not_influx',
    `${target.label} does not answer like InfluxDB (HTTP ${reply.status} to /ping). Check influx.url.`,
    { action: reply.status >= 500 ? 'retry' : 'stop' },
  );
}

async function ensureDatabase(http: InfluxHttp, target: InfluxTarget, log: Logger): Promise<boolean> {
  const { options, place, label } = target;
  const databases = (await http.query('SHOW DATABASES')).flatMap((table) => table.rows.map((row) => row[0]));
  if (databases.includes(place)) return false;
  const statement = `CREATE DATABASE ${quoteIdentifier(place)}${durationClause(options.retentionMs)}`;
  if (options.createDatabase === false)
    throw new MissingDatabaseError(
      'influx.missing_database',
      `${label}: the database does not exist. Create it: ${statement}`,
      { label, databases: databases.map(String) },
    );
  await http.query(statement);
  log.info({ store: label }, 'made the InfluxDB database');
  return true;
}

/**
 * Makes the clause that lets the default policy of a new database keep points this long, rounded up to the
 * second.
 */
function durationClause(retentionMs: number | undefined): string {
  return retentionMs === undefined ? '' : ` WITH DURATION ${Math.ceil(retentionMs / 1_000)}s`;
}

/**
 * Reads how many milliseconds the retention policy keeps points. Resolves to Infinity for ever, and to
 * undefined if the user may not read the policies.
 */
async function readRetentionPolicy(
  http: InfluxHttp,
  target: InfluxTarget,
  log: Logger,
): Promise<number | undefined> {
  const { options, place, label } = target;
  let policies: Record<string, unknown>[];
  try {
    const tables = await http.query(`SHOW RETENTION POLICIES ON ${quoteIdentifier(place)}`);
    policies = tables.flatMap(({ columns, rows }) =>
      rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]]))),
    );
  } catch (error) {
    // A user who may only write is enough. Points older than the retention are then refused request by
    // request.
    if (!(error instanceof StoreError) || error.cause !== 403) throw error;
    log.info({ store: label }, 'the InfluxDB user may not read the retention policies');
    return undefined;
  }
  const wanted = options.retentionPolicy;
  const policy = policies.find(({ name, default: isDefault }) =>
    wanted === undefined ? isDefault : name === wanted,
  );
  if (policy !== undefined) return durationMs(String(policy.duration));
  const missing = wanted === undefined ? 'no default retention policy' : `no retention policy "${wanted}"`;
  throw new StoreError(
    'influx.missing_retention_policy',
    `${label}: the database has ${missing}. Create it, or change influx.retentionPolicy.`,
    { action: 'stop' },
  );
}

/** Returns the milliseconds of a duration such as `168h0m0s`. `0s` means for ever: Infinity. */
export function durationMs(text: string): number {
  const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)([hms])/g))
    ms += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  return ms > 0 ? ms : Number.POSITIVE_INFINITY;
}

/**
 * Reads how many milliseconds the bucket keeps points. Resolves to Infinity for ever. Compatible servers
 * without buckets (VictoriaMetrics) answer 400 or 404 with a text of their own. They accept any bucket, and
 * the retention is unknown: undefined.
 */
async function readBucket(http: InfluxHttp, target: InfluxTarget, log: Logger): Promise<number | undefined> {
  const { options, place, label } = target;
  const query = new URLSearchParams({ name: place, org: options.org ?? '' });
  const reply = await http.get(`/api/v2/buckets?${query}`);
  const body = (reply.json ?? {}) as BucketsReply;
  const bucket = body.buckets?.find(({ name }) => name === place);
  if (bucket !== undefined) {
    const seconds = bucket.retentionRules?.find(
      ({ type }) => type === undefined || type === 'expire',
    )?.everySeconds;
    return seconds ? seconds * 1_000 : Number.POSITIVE_INFINITY;
  }
  if (body.buckets !== undefined || body.code === 'not found') {
    const remedy = `Create it, or give the token read access to it, or change influx.bucket.`;
    throw new StoreError(
      'influx.missing_bucket',
      `${label}: the bucket is not found in "${options.org}". ${remedy}`,
      { action: 'stop' },
    );
  }
  if (!hasNoBuckets(reply)) throw replyError(reply, target, 'looking for the bucket');
  log.info({ store: label }, 'the server has no buckets to look up; points are written without that check');
  return undefined;
}

interface BucketsReply {
  readonly code?: string;
  readonly buckets?: readonly {
    readonly name: string;
    readonly retentionRules?: readonly { readonly type?: string; readonly everySeconds?: number }[];
  }[];
}

function hasNoBuckets({ status, json }: InfluxReply): boolean {
  return json === undefined && (status === 400 || status === 404);
}
