import { setTimeout as sleep } from 'node:timers/promises';
import { countPoints, type StoreCount } from './count-points.ts';
import type { FaultKind } from './kinds.ts';
import type { FaultSite, Part } from './site.ts';

export interface Measure {
  readonly kind: FaultKind;
  readonly part: Part;
  /** The milliseconds that the fault lasts. */
  readonly holdMs: number;
  /** The milliseconds after which a job that has not run again counts as stuck. */
  readonly patienceMs: number;
}

/** The effect of one fault. */
export interface Finding {
  /**
   * The seconds from the end of the fault to the next successful run of each job. Undefined for a stuck job.
   */
  readonly seconds: ReadonlyMap<string, number | undefined>;
  /** The points that each store lacks, or has twice. */
  readonly points: readonly StoreCount[];
  /** The answers of `/readyz` meanwhile, each once. */
  readonly readiness: readonly string[];
  /** The first line of `status` while the fault lasted. */
  readonly status: string;
  /** Everything that is wrong. */
  readonly troubles: readonly string[];
}

const LOOK_MS = 500;
/** The milliseconds after which an overdue job makes the service not ready. */
const OVERDUE_MS = 150_000;

/** Lets a fault happen, and waits until every job has run again. */
export async function measureFault(
  site: FaultSite,
  { kind, part, holdMs, patienceMs }: Measure,
): Promise<Finding> {
  const fromMs = Math.floor(Date.now() / 1000) * 1000;
  const watch = watchReadiness(site);
  const before = await readRuns(site);
  const cure = await kind.begin(site, part);
  const [status] = await Promise.all([firstLine(site), sleep(holdMs)]);
  const idle = holdMs > OVERDUE_MS && watch.endsReady() ? await findIdle(site, before) : [];
  await cure();
  const endedMs = performance.now();
  const seconds = await waitForJobs(site, { endedMs, patienceMs });
  const readiness = await watch.end();
  // The last increment of the fault may have ended before the newest second.
  const points = await waitForPoints(site, { fromMs, toMs: Math.floor(Date.now() / 1000) * 1000 });
  const stuck = [...seconds].filter(([, took]) => took === undefined).map(([job]) => job);
  const longest = performance.now() - endedMs + holdMs;
  return {
    ...{ seconds, readiness, status, points },
    troubles: [
      ...idle.map((job) => `ready, although ${job} is overdue`),
      ...stuck.map((job) => `${job} has not run again`),
      ...(stuck.length > 0 && longest > OVERDUE_MS && watch.endsReady()
        ? ['ready, although jobs are overdue']
        : []),
      ...points.flatMap(({ store, lost, doubled }) => [
        ...(lost > 0 ? [`${lost} points are lost in ${store}`] : []),
        ...(doubled > 0 ? [`${doubled} points are there twice in ${store}`] : []),
      ]),
    ],
  };
}

/**
 * Reads the newest successful run of each job, by stream and kind. Details are a part of the scan of their
 * list.
 */
export async function readRuns({ db }: FaultSite): Promise<Map<string, number>> {
  const { rows } = await db.query(
    `select concat(stream, ' ', kind) as job, max(id) filter (where status in ('done', 'partial')) as id
     from plantsync.runs where stream not like '%\\_details' group by stream, kind`,
  );
  return new Map(rows.map(({ job, id }) => [job as string, Number(id ?? 0)]));
}

/** Lists the jobs that have not succeeded since `before`. Lists all jobs if the ledger does not answer. */
async function findIdle(site: FaultSite, before: ReadonlyMap<string, number>): Promise<string[]> {
  const now = await Promise.race([readRuns(site).catch(() => undefined), sleep(5_000, undefined)]);
  return [...before].filter(([job, id]) => (now?.get(job) ?? 0) <= id).map(([job]) => job);
}

async function waitForJobs(
  site: FaultSite,
  { endedMs, patienceMs }: { endedMs: number; patienceMs: number },
): Promise<Map<string, number | undefined>> {
  let before: Map<string, number> | undefined;
  const took = new Map<string, number | undefined>();
  while (performance.now() - endedMs < patienceMs) {
    // The failed server may not be back yet.
    const now = await readRuns(site).catch(() => undefined);
    before ??= now;
    for (const [job, id] of now ?? [])
      if (id > (before?.get(job) ?? 0) && !took.has(job)) took.set(job, (performance.now() - endedMs) / 1000);
    if (before !== undefined && took.size >= before.size) return took;
    await sleep(LOOK_MS);
  }
  for (const job of before?.keys() ?? []) if (!took.has(job)) took.set(job, undefined);
  return took;
}

function watchReadiness({ parts }: FaultSite) {
  const said = new Map<string, true>();
  let last: string[] = [];
  const ending = new AbortController();
  const look = async () => {
    last = await Promise.all(parts.map(({ console: url }) => ask(url)));
    for (const answer of last) said.set(answer, true);
  };
  const watching = (async () => {
    while (!ending.signal.aborted) {
      await look();
      await sleep(2 * LOOK_MS);
    }
  })();
  return {
    endsReady: () => last.includes('ready'),
    async end() {
      ending.abort();
      await watching;
      return [...said.keys()];
    },
  };
}

async function ask(url: string): Promise<string> {
  try {
    const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    const { ready, reason } = (await reply.json()) as { ready: boolean; reason?: string };
    return ready ? 'ready' : `not ready: ${reason?.slice(0, 120)}`;
  } catch {
    return 'no answer';
  }
}

async function firstLine(site: FaultSite): Promise<string> {
  const text = await Promise.race([site.status(), sleep(10_000, '')]);
  return text.split('\n', 1)[0]?.slice(0, 120) || 'no answer';
}

/** Waits for the next increments, which read the history of the fault. */
async function waitForPoints(
  site: FaultSite,
  range: { fromMs: number; toMs: number },
): Promise<StoreCount[]> {
  const atEnd = performance.now() + 60_000;
  for (;;) {
    const counts = await countPoints(site, range);
    if (counts.every(({ lost }) => lost === 0) || performance.now() > atEnd) return counts;
    await sleep(2 * LOOK_MS);
  }
}
