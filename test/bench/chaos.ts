/**
 * `node --import tsx test/bench/chaos.ts [--minutes 2]` runs two schedulers and three workers under load. A
 * worker is killed every three to five seconds, now and then the leading scheduler too. Redis goes away, with
 * its data and without. Afterwards every point must be stored once, no job be stuck, and the service go on by
 * itself. Else the exit code is 1.
 */
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadConfig } from '../../src/config/load.ts';
import { closeQueues, openQueues } from '../../src/queue/bullmq/bull-queues.ts';
import { findTroubles, redisMiB } from './chaos-checks.ts';
import { openSite, type Site, startVictim, type Victim } from './chaos-site.ts';
import { measureProgram, startProgram } from './program.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '2' } } });
const chaosMs = Number(values.minutes) * 60_000;
/**
 * The time for the service to settle. A job whose worker died is taken up after a minute or two, and a job
 * that failed again and again after five.
 */
const SETTLE_MS = 300_000;
/** The range that one backfill fills. The next backfill fills the range before. */
const BACKFILL_MS = 24 * 3_600_000;
/** The exit code of a backfill that finds no worker at its start. Then nothing has changed. */
const REFUSED = 2;
const FIRST_BACKFILL_MS = 2 * 3_600_000;

const counts: Record<string, number> = {};
const troubles: string[] = [];
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};
const note = (complaint: string | undefined) => {
  if (complaint !== undefined) troubles.push(complaint);
};

/**
 * Kills workers until the time is over. Every twentieth second it kills the leader, every fortieth second it
 * stops Redis: first with its data, then without.
 */
async function makeChaos(site: Site, victims: { schedulers: Victim[]; workers: Victim[] }): Promise<void> {
  const begun = Date.now();
  let [leaders, outages] = [0, 0];
  while (Date.now() - begun < chaosMs) {
    await sleep(3_000 + Math.random() * 2_000);
    const elapsed = Date.now() - begun;
    note(await victims.workers[Math.floor(Math.random() * victims.workers.length)]?.replace());
    count('workers killed');
    if (elapsed > 20_000 * (leaders + 1)) {
      leaders += 1;
      const leader = await findLeader(site);
      note(await victims.schedulers.find(({ name }) => name === leader)?.replace());
      count(leader === undefined ? 'times without a leader to kill' : 'leading schedulers killed');
    }
    if (elapsed > 40_000 * (outages + 1)) {
      outages += 1;
      const isLost = outages % 2 === 0;
      if (isLost) await site.client.flushall();
      await site.redis.kill();
      await sleep(1_000 + Math.random() * 4_000);
      await site.redis.start();
      count(isLost ? 'Redis restarts without its data' : 'Redis restarts with its data');
    }
  }
}

/** Returns the name of the process that holds the lock of the leader. */
async function findLeader({ db }: Site): Promise<string | undefined> {
  const { rows } = await db.query<{ holder: string }>(
    `select l.holder from plantsync.locks as k join plantsync.leases as l on l.id = k.lease where k.name like 'schedules of %'`,
  );
  return rows[0]?.holder.split(' ')[0];
}

/**
 * Fills one range after the other, further and further back, until `isOver` returns true. Resolves to the
 * start of the filled history.
 */
async function keepFilling(site: Site, isOver: () => boolean): Promise<number> {
  const log = openSync(join(site.logs, 'backfill.log'), 'a');
  let fromMs = Math.floor(Date.now() / 1000) * 1000;
  for (let span = FIRST_BACKFILL_MS; !isOver(); span = BACKFILL_MS) {
    const toMs = fromMs;
    fromMs -= span;
    const range = ['--from', new Date(fromMs).toISOString(), '--to', new Date(toMs).toISOString()];
    let code: number | null;
    do {
      const child = startProgram(['backfill', ...range, '--on-workers'], site.env, log);
      child.stdout?.resume();
      [code] = (await once(child, 'close')) as [number | null];
      count(code === REFUSED ? 'backfills refused, for want of workers at their start' : 'backfills');
      if (code === REFUSED) await sleep(2_000);
    } while (code === REFUSED);
    if (code !== 0) note(`the backfill ${range.join(' ')} ended with code ${code}`);
  }
  return fromMs;
}

const secondsSince = (beganMs: number) => `${Math.round((Date.now() - beganMs) / 1000)} s`;

/** Checks until all is well, or the time is over. Then everything that is wrong is a trouble. */
async function settle(site: Site, range: { fromMs: number; toMs: number }): Promise<void> {
  const config = await loadConfig({ env: site.env });
  const queues = openQueues({ connection: site.client, prefix: config.redis?.prefix ?? '' }, () => undefined);
  const begun = Date.now();
  let [found, last] = [[] as string[], ''];
  do {
    await sleep(2_000);
    found = await findTroubles({ ...site, config, queues, ...range });
    if (found[0] !== undefined && found[0] !== last)
      console.log(`after ${secondsSince(begun)}: ${found[0]} (${found.length} in all)`);
    last = found[0] ?? '';
  } while (found.length > 0 && Date.now() - begun < SETTLE_MS);
  console.log(`looked for ${secondsSince(begun)} after the last backfill`);
  troubles.push(...found);
  await closeQueues(queues);
}

async function report(
  { db, client }: Site,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<void> {
  for (const [what, times] of Object.entries(counts)) console.log(`${what}: ${times}`);
  const { rows } = await db.query(
    `select (select count(*) from plant.samples where at >= to_timestamp($1) and at < to_timestamp($2)) as points,
       (select max(id) from plantsync.runs) as runs,
       (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections`,
    [fromMs / 1000, toMs / 1000],
  );
  const clients = Number(/connected_clients:(\d+)/.exec(await client.info('clients'))?.[1]);
  console.log(
    `runs: ${rows[0]?.runs}, points: ${rows[0]?.points}, connections to Postgres: ${rows[0]?.connections}`,
  );
  console.log(
    `Redis: ${await client.dbsize()} keys, ${(await redisMiB(client)).toFixed(1)} MiB, ${clients} connections`,
  );
  const runs = await db.query(
    `select kind, status, count(*)::int as runs, left(min(error), 160) as error from plantsync.runs
     where status <> 'done' group by 1, 2 order by 1, 2`,
  );
  for (const { kind, status, runs: times, error } of runs.rows)
    console.log(`  ${kind} ${status}: ${times}${error === null ? '' : ` (${error})`}`);
}

const site = await openSite();
try {
  await measureProgram(['sync', 'objects', 'object_properties'], site.env);
  const schedulers = [1, 2].map((k) => startVictim(site, `scheduler-${k}`, 'scheduler'));
  const workers = [1, 2, 3].map((k) => startVictim(site, `worker-${k}`, 'worker'));
  while ((await findLeader(site)) === undefined) await sleep(500);
  await sleep(3_000);
  let isOver = false;
  const filling = keepFilling(site, () => isOver);
  await makeChaos(site, { schedulers, workers });
  isOver = true;
  const toMs = Math.floor(Date.now() / 1000) * 1000;
  const range = { fromMs: await filling, toMs };
  await settle(site, range);
  await report(site, range);
  for (const complaint of await Promise.all([...schedulers, ...workers].map((victim) => victim.end())))
    note(complaint);
  for (const trouble of troubles) console.log(`WRONG: ${trouble}`);
  console.log(troubles.length === 0 ? 'all is well' : `the logs are in ${site.logs}`);
} finally {
  await site.close();
}
process.exitCode = troubles.length === 0 ? 0 : 1;
