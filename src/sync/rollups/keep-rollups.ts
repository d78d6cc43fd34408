import {
  type Computed,
  computeDays,
  computeRollups,
  type RollupComputing,
} from '../../load/rollups/compute-rollups.ts';
import { pruneLatePoints } from '../../load/rollups/prune-late-points.ts';
import {
  beginBacklog,
  endBacklog,
  type RollupProgress,
  readRollupProgress,
} from '../../load/rollups/rollup-state.ts';
import { rollupTables } from '../../load/rollups/rollup-tables.ts';
import { takeBacklog } from '../../load/rollups/take-backlog.ts';
import { type MarkTaking, takeMarks } from '../../load/rollups/take-marks.ts';
import { withFence } from '../../postgres/fence.ts';
import { planByKey } from '../../postgres/plan-by-key.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { HISTORY } from '../../series/history-stream.ts';
import { createZoneGrid } from '../../series/zone-grid.ts';
import { steadyMs } from '../../steady-clock.ts';
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
/** A part of the backlog is made so large that it takes about this long. */
const PART_MS = 1_000;
const FIRST_HOURS = 24;
const MOST_HOURS = 24 * 366;

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
    const portions = new Portions(ctx);
    await portions.begin();
    const endMs = steadyMs() + BACKLOG_MS;
    while (await portions.takeMarks(summary)) ctx.signal.throwIfAborted();
    while (steadyMs() < endMs && (await portions.takeBacklog(summary))) ctx.signal.throwIfAborted();
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
  const lock = await ctx.ledger.leases.tryLock(`job ${ROLLUP_JOB}`);
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

/** Reads how far the rollups are behind. */
export function readProgress(ctx: SyncContext): Promise<RollupProgress> {
  return readRollupProgress(ctx.db, ctx.schemas, takingOf(ctx).dueUntil);
}

/** Says how much of the backlog is left. */
export function describeBacklog({ backlogHours, backlogTotal }: RollupProgress): string {
  const percent = Math.floor(100 * (1 - backlogHours / backlogTotal));
  const hours = Math.ceil(backlogHours).toLocaleString('en');
  return `rollups of stored history: ${percent} % are made, ${hours} series-hours are left, newest first`;
}

function takingOf(ctx: SyncContext): MarkTaking {
  const grid = createZoneGrid(ctx.config.platform.timezone ?? 'UTC');
  const settleMs = Math.max(0, ...ctx.config.runtime.map(({ history }) => history.settleMs));
  const oldest = oldestKept(ctx, ctx.postgresStore);
  return {
    grid,
    tables: rollupTables(ctx.schemas),
    dueUntil: grid.hourAt(settledHead(ctx, settleMs)).from,
    keptSince: Number.isFinite(oldest) ? grid.hourAt(oldest).to : oldest,
  };
}

/** Computes rollups, one portion in each transaction. */
class Portions {
  readonly #ctx: SyncContext;
  readonly #taking: MarkTaking;
  readonly #computing: RollupComputing;
  #hours = FIRST_HOURS;

  constructor(ctx: SyncContext) {
    this.#ctx = ctx;
    this.#taking = takingOf(ctx);
    const own = { store: ctx.postgresStore.id, stream: HISTORY };
    this.#computing = {
      ...this.#taking,
      readCoverage: (tx, seriesIds) => ctx.ledger.coverage.read({ ...own, seriesIds }, tx),
    };
  }

  async begin(): Promise<void> {
    const { db, schemas } = this.#ctx;
    const { grid, keptSince } = this.#taking;
    await inTransaction(db, (tx) => beginBacklog(tx, schemas, { zone: grid.zone, keptSince }), {
      what: 'looking for history without rollups',
    });
  }

  /** Computes changed hours. Resolves to false if nothing is due. */
  async takeMarks(summary: RunSummary): Promise<boolean> {
    const computed = await inTransaction(
      this.#ctx.db,
      async (tx) => {
        await planByKey(tx);
        const works = await takeMarks(tx, this.#taking);
        return works && computeRollups(tx, works, this.#computing);
      },
      { what: 'computing rollups' },
    );
    if (computed === undefined) return false;
    count(summary, computed);
    return true;
  }

  /** Computes a part of the backlog. Resolves to false if nothing is left. */
  async takeBacklog(summary: RunSummary): Promise<boolean> {
    const beganMs = steadyMs();
    const computed = await inTransaction(
      this.#ctx.db,
      async (tx) => {
        await planByKey(tx);
        const part = await takeBacklog(tx, this.#taking, this.#hours);
        const compute = part?.onlyDays ? computeDays : computeRollups;
        return part && compute(tx, part.works, this.#computing);
      },
      { what: 'computing rollups of stored history' },
    );
    if (computed === undefined) {
      await endBacklog(this.#ctx.db, this.#ctx.schemas);
      return false;
    }
    count(summary, computed);
    const isSlow = steadyMs() - beganMs > PART_MS;
    this.#hours = Math.min(MOST_HOURS, Math.max(1, isSlow ? this.#hours / 2 : this.#hours * 2));
    return true;
  }
}

function count(summary: RunSummary, { rollups, points }: Computed): void {
  summary.inserted += rollups;
  summary.records += points;
}
