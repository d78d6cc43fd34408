import type { Schedule } from '../../config/schedule.ts';
import type { ChangeCounts } from '../../ledger/changes.ts';
import type { DriftRecord } from '../../ledger/drift.ts';
import type { RunRecord, Success } from '../../ledger/runs.ts';
import { countRowsOf, type RowCounts } from '../../load/rows/count-rows.ts';
import { baseOf, type Stream, tableOf } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import type { SyncContext } from '../context.ts';
import { settingsOf } from '../stream-settings.ts';

/** Length of the time before now whose changes are counted. */
const RECENT_US = 86_400e6;

/** The state of one stream. A value that is not known is undefined, and not zero. */
export interface StreamStatus {
  readonly stream: string;
  /** Name of the stream whose rows a stream of details completes. */
  readonly completes: string | undefined;
  readonly enabled: boolean;
  /** When the service reads the list of the stream. */
  readonly schedule: Schedule | undefined;
  /** The newest run. */
  readonly last: RunRecord | undefined;
  /** Begin of the newest run that brought data, if only in part (epoch microseconds). */
  readonly goodAt: number | undefined;
  /** Rows in the table of the stream. A stream of details has no rows of its own. */
  readonly rows: RowCounts | undefined;
  /** Changes of these rows in the last 24 hours. */
  readonly recent: ChangeCounts | undefined;
  /** Open rejects. */
  readonly rejects: number | undefined;
  /** Members of records that differ from their declaration. */
  readonly drift: number | undefined;
}

/** Facts from the ledger about all streams. */
export interface StreamFacts {
  readonly runs: RunRecord[];
  readonly successes: readonly Success[];
  readonly rejects: ReadonlyMap<string, number>;
  readonly changes: ReadonlyMap<string, ChangeCounts>;
  readonly drift: DriftRecord[];
}

/** Returns the instant from which changes count as recent (epoch microseconds). */
function recentSince(ctx: SyncContext): number {
  return ctx.clock() - RECENT_US;
}

/** Reads what the ledger knows of all streams. */
export async function readStreamFacts(ctx: SyncContext): Promise<StreamFacts> {
  const { ledger } = ctx;
  const [runs, successes, rejects, changes, drift] = await Promise.all([
    ledger.runs.readLast(),
    ledger.runs.readLastSuccesses(),
    ledger.rejects.countOpen(),
    ledger.changes.countSince(recentSince(ctx)),
    ledger.drift.list(),
  ]);
  return { runs, successes, rejects, changes, drift };
}

/** Reads the state of every stream that is switched on or has ever run, parents first. */
export function readStreamStatus(ctx: SyncContext, facts: StreamFacts): Promise<StreamStatus[]> {
  const shown = streams.filter(
    (stream) => settingsOf(ctx.config, stream).enabled || newestRun(facts.runs, stream) !== undefined,
  );
  return Promise.all(shown.map((stream) => describeStream(ctx, stream, facts)));
}

async function describeStream(ctx: SyncContext, stream: Stream, facts: StreamFacts): Promise<StreamStatus> {
  const last = newestRun(facts.runs, stream);
  const own = { schema: ctx.schemas.data, table: tableOf(stream), sinceUs: recentSince(ctx) };
  const rows = stream.updates ? undefined : await countRowsOf(ctx.db, own);
  const none: ChangeCounts = { updated: 0, deleted: 0, restored: 0 };
  const drift = facts.drift.filter((entry) => entry.stream === stream.name).length;
  const ifRun = <T>(value: T): T | undefined => (last === undefined ? undefined : value);
  return {
    stream: stream.name,
    completes: stream.updates ? stream.parent?.stream.name : undefined,
    enabled: settingsOf(ctx.config, stream).enabled,
    schedule: scheduleOf(ctx, stream),
    last,
    goodAt: lastSuccess(facts.successes, stream),
    rows,
    recent: rows && (facts.changes.get(stream.name) ?? none),
    rejects: facts.rejects.get(stream.name) ?? ifRun(0),
    drift: drift > 0 ? drift : ifRun(0),
  };
}

function newestRun(runs: readonly RunRecord[], stream: Stream): RunRecord | undefined {
  return runs
    .filter((run) => run.stream === stream.name)
    .reduce<RunRecord | undefined>((newest, run) => (newest && newest.id > run.id ? newest : run), undefined);
}

function lastSuccess(successes: readonly Success[], { name }: Stream): number | undefined {
  const begun = successes.filter(({ stream }) => stream === name).map(({ begunAt }) => begunAt);
  return begun.length === 0 ? undefined : Math.max(...begun);
}

/**
 * Returns when a stream is read. Details are read with the list that they complete, as far as they are due
 * then.
 */
function scheduleOf({ config }: SyncContext, stream: Stream): Schedule | undefined {
  return config.streams[baseOf(stream).name]?.schedule;
}
