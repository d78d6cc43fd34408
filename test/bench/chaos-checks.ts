import type { Queue } from 'bullmq';
import { listJobs } from '../../jobs/index.ts';
import type { Config } from '../../src/config/config-schema.ts';
import type { BullQueues } from '../../src/queue/bullmq/bull-queues.ts';
import { queueNames } from '../../src/queue/engine.ts';
import { openInfluxReader } from '../support/influx/influx-reader.ts';
import { type ExpectedPoint, expectedPoints } from '../support/truth/expected-points.ts';
import type { Site } from './chaos-site.ts';

/** The plant to check, and the range of its history. */
export interface Question extends Site {
  readonly config: Config;
  readonly queues: BullQueues;
  /** The range of the history that must be whole, in epoch milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The most keys that Redis may hold: the finished jobs that are kept, the schedules, and the running jobs.
 */
const MOST_KEYS = 3 * 600 + 200;
const MOST_REDIS_MIB = 10;
/** The milliseconds that no job of this load may wait or run. */
const LONG_MS = 30_000;
/** The most jobs to list. */
const MANY = 10_000;

/**
 * Returns a sentence for everything that is wrong. The checks run one after the other, since data would be
 * outdated when it is compared with Redis.
 */
export async function findTroubles(question: Question): Promise<string[]> {
  const found = await checkSchedules(question);
  for (const name of queueNames) found.push(...(await checkQueue(question, question.queues[name])));
  for (const check of [checkRedis, checkLedger, checkPostgresPoints, checkInfluxPoints])
    found.push(...(await check(question)));
  return found;
}

/** Checks that each schedule is in its queue, in no other queue, and has one turn to come. */
async function checkSchedules({ config, queues }: Question): Promise<string[]> {
  const found = await Promise.all(
    queueNames.map(async (queue) =>
      (await queues[queue].getJobSchedulers()).map(({ key }) => `${queue} ${key}`),
    ),
  );
  const wanted = listJobs(config).map(({ queue, name }) => `${queue} ${name}`);
  const all = found.flat();
  const turns = await Promise.all(queueNames.map((name) => countTurns(queues[name])));
  const troubles = [
    ...wanted.filter((name) => !all.includes(name)).map((name) => `the schedule ${name} is missing`),
    ...all.filter((name) => !wanted.includes(name)).map((name) => `nobody wants the schedule ${name}`),
  ];
  for (const name of wanted) {
    const count = turns.reduce((sum, each) => sum + (each.get(name) ?? 0), 0);
    if (count !== 1) troubles.push(`the schedule ${name} has ${count} turns to come, in place of one`);
  }
  return troubles;
}

async function countTurns(queue: Queue): Promise<Map<string, number>> {
  const jobs = await queue.getJobs(['delayed', 'waiting', 'prioritized'], 0, MANY);
  const counts = new Map<string, number>();
  for (const { repeatJobKey } of jobs.filter((job) => job !== undefined))
    if (repeatJobKey !== undefined) {
      const name = `${queue.name} ${repeatJobKey}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  return counts;
}

/** Checks that a worker holds every active job, and that no job waits for long. */
async function checkQueue({ client, config }: Question, queue: Queue): Promise<string[]> {
  const troubles: string[] = [];
  const prefix = `${config.redis?.prefix}:${queue.name}`;
  for (const id of await client.lrange(`${prefix}:active`, 0, -1))
    if ((await client.exists(`${prefix}:${id}:lock`)) === 0)
      troubles.push(`${queue.name}: job ${id} is active, and no worker holds it`);
  const nowMs = Date.now();
  for (const job of await queue.getJobs(['waiting', 'prioritized', 'delayed'], 0, MANY)) {
    const lateMs = job === undefined ? 0 : nowMs - job.timestamp - job.delay;
    if (lateMs > LONG_MS)
      troubles.push(`${queue.name}: job ${job.id} waits since ${Math.round(lateMs / 1000)} s`);
  }
  return troubles;
}

async function checkRedis({ client }: Question): Promise<string[]> {
  const [keys, mib] = [await client.dbsize(), await redisMiB(client)];
  return [
    ...(keys > MOST_KEYS ? [`Redis holds ${keys} keys, more than ${MOST_KEYS}`] : []),
    ...(mib > MOST_REDIS_MIB ? [`Redis holds ${mib.toFixed(1)} MiB, more than ${MOST_REDIS_MIB}`] : []),
  ];
}

export async function redisMiB(client: Site['client']): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]) / 2 ** 20;
}

/** Queries in which every row is a trouble. */
const ledgerTroubles = [
  `select format('the newest run of %s (%s) began %s and nobody works on it', stream, kind, started_at) as trouble from (
     select distinct on (stream, kind) * from plantsync.runs order by stream, kind, id desc) as newest
   where status = 'running' and started_at < now() - interval '30 seconds'`,
  `select format('the newest run of %s (%s) failed: %s', stream, kind, error) as trouble from (
     select distinct on (stream, kind) * from plantsync.runs order by stream, kind, id desc) as newest
   where status = 'failed'`,
  `select format('a window of %s is claimed by a session that is gone', stream) as trouble from plantsync.claims as c
   where not exists (select from pg_stat_activity as a where a.pid = c.session)`,
  `select format('%s polls in the last ten seconds', count(*)) as trouble from plantsync.runs
   where stream = 'current' and kind like 'poll%' and status = 'done' and started_at > now() - interval '10 seconds'
   having count(*) < 5`,
  `select format('%s polls or events still wait for %s', count(*), store) as trouble from plantsync.outbox group by store
   having min(created_at) < now() - interval '30 seconds'`,
  `select format('%s cases of %s were refused: %s', count(*), stream, min(reason)) as trouble from plantsync.rejects group by stream`,
];

async function checkLedger({ db }: Question): Promise<string[]> {
  const found = await Promise.all(ledgerTroubles.map((sql) => db.query<{ trouble: string }>(sql)));
  return found.flatMap(({ rows }) => rows.map(({ trouble }) => trouble));
}

async function checkPostgresPoints(question: Question): Promise<string[]> {
  const { db, fromMs, toMs } = question;
  return comparePoints('Postgres', question, async (object, property) => {
    const { rows } = await db.query<{ at: number; value: number | null; text: string | null }>(
      `select at, value, text from plant.samples join plant.series using (series_id)
       where object = $1 and property = $2 and at >= to_timestamp($3) and at < to_timestamp($4) order by at`,
      [object, property, fromMs / 1000, toMs / 1000],
    );
    return rows.map(({ at, value, text }) => [at, value, text]);
  });
}

async function checkInfluxPoints(question: Question): Promise<string[]> {
  const { influx, fromMs, toMs } = question;
  const reader = openInfluxReader(influx);
  try {
    return await comparePoints('InfluxDB', question, async (object, property) => {
      const range = { from: fromMs * 1000, to: toMs * 1000 };
      const { times, values, texts } = await reader.points({ object, property }, range);
      return times.map((at, k) => [at, values[k] ?? null, texts[k] ?? null]);
    });
  } finally {
    await reader.close();
  }
}

type ReadSeries = (object: string, property: string) => Promise<ExpectedPoint[]>;

/**
 * Checks that every point of the truth is stored once, and no other point. InfluxDB has no point without a
 * value.
 */
async function comparePoints(store: string, question: Question, read: ReadSeries): Promise<string[]> {
  const { truth, fromMs, toMs } = question;
  const troubles: string[] = [];
  for (const { object, property } of truth.truth.series()) {
    const name = `${object}.${property}`;
    const all = expectedPoints(truth, name, { fromMs, toMs });
    const wanted =
      store === 'Postgres' ? all : all.filter(([, value, text]) => value !== null || text !== null);
    const stored = (await read(object, property)).map((point) => JSON.stringify(point));
    const [has, wants] = [new Set(stored), new Set(wanted.map((point) => JSON.stringify(point)))];
    const missing = [...wants].filter((point) => !has.has(point));
    const extra = stored.filter((point) => !wants.has(point)).length + stored.length - has.size;
    if (missing.length > 0 || extra > 0)
      troubles.push(
        `${store} lacks ${missing.length} points of ${name} (first ${missing[0]}), and has ${extra} too many`,
      );
  }
  return troubles;
}
