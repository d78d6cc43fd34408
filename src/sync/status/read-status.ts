import type { ChangeCounts } from '../../ledger/changes.ts';
import type { Pause } from '../../ledger/control.ts';
import type { DriftRecord } from '../../ledger/drift.ts';
import type { RunRecord } from '../../ledger/runs.ts';
import type { ServiceRecord } from '../../ledger/services.ts';
import type { RollupProgress } from '../../load/rollups/rollup-state.ts';
import { type AlarmStatus, eventStoresOf, readAlarmStatus } from '../alarms/alarm-status.ts';
import type { SyncContext } from '../context.ts';
import { keepsRollups, readProgress } from '../rollups/keep-rollups.ts';
import { explainSelections } from '../selection/empty-selection.ts';
import type { HistoryGaps } from './history-gaps.ts';
import { countLostValues } from './overview-facts.ts';
import { readStreamFacts, readStreamStatus, type StreamStatus } from './stream-status.ts';
import { type GapSummary, sumUpGaps } from './sum-up-gaps.ts';

/** The facts that `plantsync status` shows. */
export interface Status {
  /** When the status was read, in epoch microseconds. */
  readonly at: number;
  /** The streams of the directory, parents first. */
  readonly streams: StreamStatus[];
  /** The newest run of every stream and kind, newest first. */
  readonly runs: RunRecord[];
  /** Backfills that are running, in any process. */
  readonly backfills: RunRecord[];
  /** The processes of the service, and the jobs that they found to be overdue. */
  readonly services: ServiceRecord[];
  /** Streams and jobs that the service does not begin. */
  readonly pauses: Pause[];
  /** Changes of the last 24 hours by table, also of the tables of parts. */
  readonly changes: Record<string, ChangeCounts>;
  /** Differences between records and their declaration. */
  readonly drift: DriftRecord[];
  /** Open rejects, by stream. */
  readonly rejects: Record<string, number>;
  /** Polls that wait for a store, by store. */
  readonly outbox: Record<string, number>;
  /** Undefined if no alarm was ever read. */
  readonly alarms: AlarmStatus | undefined;
  /** Polled values that were dropped while Postgres was away. */
  readonly lostPolledValues: number;
  /**
   * Polls that did not run because an earlier poll took longer than its period. They are counted by the kind
   * of their run, since a time (epoch microseconds).
   */
  readonly skippedPolls: readonly { kind: string; skipped: number; since: number }[];
  /** How far the rollups are behind. Undefined if no rollups are kept. */
  readonly rollups: RollupProgress | undefined;
  readonly history: Omit<GapSummary, 'sums'>;
}

/** Reads the status. The sums of gaps of the overview may be given. */
export async function readStatus(ctx: SyncContext, gaps?: readonly HistoryGaps[]): Promise<Status> {
  const { sums: _, ...told } = await sumUpGaps(ctx, { sums: gaps });
  const polled = await explainSelections(ctx, { purpose: 'current' });
  const empty = [...new Set([...told.empty, ...polled.empty])];
  const { ledger } = ctx;
  const facts = await readStreamFacts(ctx);
  const outbox = await ledger.outbox.count();
  const ofEvents = eventStoresOf(ctx);
  return {
    at: ctx.clock(),
    streams: await readStreamStatus(ctx, facts),
    runs: facts.runs,
    backfills: await ledger.runs.readRunning('backfill'),
    services: await ledger.services.read(),
    pauses: await ledger.control.readPauses(),
    changes: Object.fromEntries(facts.changes),
    drift: facts.drift,
    rejects: Object.fromEntries(facts.rejects),
    outbox: Object.fromEntries([...outbox].filter(([store]) => !ofEvents.has(store))),
    alarms: await readAlarmStatus(ctx, outbox),
    lostPolledValues: await countLostValues(ctx),
    skippedPolls: await ledger.runs.readSkippedPolls(),
    rollups: keepsRollups(ctx) ? await readProgress(ctx) : undefined,
    history: { ...told, empty },
  };
}
