import { setTimeout as sleep } from 'node:timers/promises';
import { readRuns } from './measure.ts';
import type { FaultSite } from './site.ts';

/** The number of jobs that the load of the site has. */
const JOBS = 7;

/** Waits until every job has succeeded once. */
export async function settle(site: FaultSite): Promise<void> {
  for (;;) {
    const runs = await readRuns(site).catch(() => new Map<string, number>());
    if (runs.size >= JOBS && [...runs.values()].every((id) => id > 0)) return;
    await sleep(250);
  }
}
