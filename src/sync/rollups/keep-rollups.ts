import { lockOfJob } from '../../ledger/leases/leases.ts';
import type { MarkTaking } from '../../load/rollups/collect-changes.ts';
import type { Computed } from '../../load/rollups/compute-rollups.ts';
import { pruneLatePoints } from '../../load/rollups/prune-late-points.ts';
import { RollupPortions } from '../../load/rollups/rollup-portions.ts';
import { type RollupProgress, readRollupProgress } from '../../load/rollups/rollup-state.ts';
import { withFence } from '../../postgres/fence.ts';
import { rollupTables } from '../../postgres/rollup-tables.ts';
import { HISTORY } from '../../series/history-stream.ts';
import { createZoneGrid } from '../../series/zone-grid.ts';
import { steadyMs } from '../../steady-clock.ts';
import { zoneOfPlant } from '../../time-zone.ts';
import { type SyncContext, settledHead } from '../context.ts';
import { recordRun } from '../record-run.ts';
import { oldestKept } from '../retention.ts';
import type { RunSummary } from '../run-summary.ts';
import { ROLLUPS } from '../stream-names.ts';

/** Kind of the runs that keep the rollups. */
export const ROLLUP = 'rollup';
/** Name of the job, by whose lock one process at a time computes rollups. */
export const ROLLUP_JOB = 'rollups';

/** How long one run goes on with the backlog, so that a next run can take new changes first. */
const BACKLOG_MS = 30_000;

/** Tells whether the configuration asks for rollups, and history goes to Postgres. */
export function keepsRollups({
  config,
  stores,
  postgresStore,
}: Pick<SyncContext, 'config' | 'stores' | 'postgresStore'>): boolean {
  return config.rollups && stores.includes(postgresStore);
}

/**
 * Brings the rollups up to date: first the hours that changed since the last run, then a part of the backlog.
 * Each portion is one transaction, so a kill loses nothing.
 */
export function keepRollups(context: SyncContext): Promise<RunSummary> {
  return recordRun(context, { stream: ROLLUPS, kind: ROLLUP }, async (summary, ctx) => {
    const portions = openPortions(ctx);
    await portions.begin();
    const next = async (take: () => Promise<Computed | undefined>): Promise<boolean> => {
      ctx.signal.throwIfAborted();
      const computed = await take();
      summary.inserted += computed?.rollups ?? 0;
      summary.records += computed?.points ?? 0;
      return computed !== undefined;
    };
    while (await next(() => portions.takeMarks()));
    const endMs = steadyMs() + BACKLOG_MS;
    while (steadyMs() < endMs && (await next(() => portions.takeBacklog())));
    await pruneLatePoints(ctx.db, ctx.schemas, ctx.config.limits.keepChangesMs);
    const progress = await readProgress(ctx);
    if (progress.backlogHours > 0) summary.notes.push(describeBacklog(progress));
  });
}

/**
 * Brings the rollups up to date after a command that changed history. Returns no summary if there is nothing
 * to tell.
 */
export async function keepRollupsAfter(ctx: SyncContext): Promise<RunSummary[]> {
  if (!keepsRollups(ctx)) return [];
  const lock = await ctx.ledger.leases.tryLock(lockOfJob(ROLLUP_JOB));
  // The process that holds the lock computes what this one has marked.
  if (!lock.isHeld) return [];
  try {
    const summary = await withFence(lock.lease, () => keepRollups(ctx));
    const isNews = summary.inserted > 0 || summary.notes.length > 0 || summary.status !== 'done';
    return isNews ? [summary] : [];
  } finally {
    await lock.release();
  }
}

/** What says which changes are due. */
type RollupSite = Pick<SyncContext, 'db' | 'schemas' | 'config' | 'postgresStore' | 'clock' | 'platform'>;

/** Reads how far the rollups are behind. */
export function readProgress(ctx: RollupSite): Promise<RollupProgress> {
  return readRollupProgress(ctx.db, ctx.schemas, takingOf(ctx).dueUntil);
}

/** A job that runs each minute is not behind for so long. */
const LATE_SEC = 900;

/** Says that changes wait, if they do so for longer than usual. */
export function describeBehind({ waiting, behindSec }: RollupProgress): string[] {
  if (behindSec < LATE_SEC) return [];
  const hours = (behindSec / 3600).toFixed(1);
  return [`rollups are ${hours} hours behind: ${waiting} changes wait for the job ${ROLLUP_JOB}`];
}

/** Says how much of the backlog is left. */
export function describeBacklog({ backlogHours, backlogTotal }: RollupProgress): string {
  const percent = Math.floor(100 * (1 - backlogHours / backlogTotal));
  const hours = Math.ceil(backlogHours).toLocaleString('en');
  return `rollups of stored history: ${percent} % are made, ${hours} series-hours are left, newest first`;
}

function openPortions(ctx: SyncContext): RollupPortions {
  const own = { store: ctx.postgresStore.id, stream: HISTORY };
  return new RollupPortions({
    ...takingOf(ctx),
    db: ctx.db,
    schemas: ctx.schemas,
    readCoverage: (tx, seriesIds) => ctx.ledger.coverage.read({ ...own, seriesIds }, tx),
  });
}

function takingOf(ctx: RollupSite): MarkTaking {
  const grid = createZoneGrid(zoneOfPlant(ctx.config.platform));
  const settleMs = Math.max(0, ...ctx.config.runtime.map(({ history }) => history.settleMs));
  const oldest = oldestKept(ctx, ctx.postgresStore);
  return {
    grid,
    tables: rollupTables(ctx.schemas),
    dueUntil: grid.hourAt(settledHead(ctx, settleMs)).from,
    keptSince: Number.isFinite(oldest) ? grid.hourAt(oldest).to : oldest,
  };
}
