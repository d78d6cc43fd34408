import type { Pause } from '../../ledger/control.ts';
import type { RunRecord } from '../../ledger/runs.ts';
import type { ServiceRecord } from '../../ledger/services.ts';
import type { StoreKinds } from '../../load/stores/store-kind.ts';
import { platformNow, type SyncContext } from '../context.ts';
import { CURRENT, LOST_POLLS } from '../stream-names.ts';
import type { HistoryGaps } from './history-gaps.ts';
import { type Lag, type LagContext, lagsOf, readHeads } from './read-lags.ts';
import { readVerifications, type Verification } from './verifications.ts';
import { listHistories, type WantedHistory } from './wanted-histories.ts';

export type OverviewContext = LagContext &
  Pick<SyncContext, 'db' | 'schemas'> & { readonly kinds: StoreKinds };

/** What the ledger has for the overview. Times are epoch microseconds. */
export interface LedgerFacts {
  readonly services: readonly ServiceRecord[];
  readonly pauses: readonly Pause[];
  readonly backfills: readonly RunRecord[];
  /** Entries with polls or alarm events that wait, by the identity of the store. */
  readonly waiting: ReadonlyMap<string, number>;
  readonly rejects: ReadonlyMap<string, number>;
  readonly lostPolledValues: number;
  /** The newest run of every stream and kind, newest first. */
  readonly runs: readonly RunRecord[];
  readonly heads: HistoryHeads;
  readonly gaps: readonly HistoryGaps[];
  readonly gapsAgeSec: number;
  /** The newest comparison with the platform of each kind, the newest first. */
  readonly verifications: readonly Verification[];
}

export interface HistoryHeads {
  /** Series whose history is wanted. */
  readonly series: number;
  readonly stores: readonly StoreHead[];
  /** How far each history has come in each of its stores. */
  readonly lags: readonly Lag[];
}

/** How far one store has come. */
export interface StoreHead {
  readonly store: string;
  readonly kind: string;
  readonly storedUpTo: number | undefined;
  readonly seriesBehind: number;
  readonly behindSec: number | undefined;
}

/** Most cases of lost polls that are read. There are never more. */
const CASES_READ = 10_000;

/** Reads what costs little: one short query for each member. */
export async function readQuickFacts({ ledger }: Pick<OverviewContext, 'ledger'>) {
  return {
    services: await ledger.services.read(),
    pauses: await ledger.control.readPauses(),
    backfills: await ledger.runs.readRunning('backfill'),
  };
}

/** Reads what costs something, but does not grow with the range of history. */
export async function readCounts(ctx: OverviewContext) {
  const { ledger } = ctx;
  return {
    waiting: await countWaiting(ctx),
    rejects: await ledger.rejects.countOpen(),
    lostPolledValues: await countLostValues(ctx),
    runs: await ledger.runs.readLast(),
    heads: await readStoreHeads(ctx),
    verifications: await readVerifications(ctx),
  };
}

async function countWaiting({ ledger, stores }: OverviewContext): Promise<Map<string, number>> {
  const entries = await ledger.outbox.count();
  const of = (name: string | undefined) => (name === undefined ? 0 : (entries.get(name) ?? 0));
  return new Map(stores.map(({ id, events }) => [id, of(id) + of(events?.id)]));
}

/** Counts the polled values that were lost while Postgres was away. */
export async function countLostValues({ ledger }: Pick<SyncContext, 'ledger'>): Promise<number> {
  const cases = await ledger.rejects.list({ stream: CURRENT, kind: LOST_POLLS, limit: CASES_READ });
  return cases.reduce((sum, { count }) => sum + count, 0);
}

async function readStoreHeads(ctx: OverviewContext): Promise<HistoryHeads> {
  const histories = await listHistories(ctx);
  const found = new Map<string, StoreHead>();
  const lags: Lag[] = [];
  for (const history of histories) {
    const heads = await readHeads(ctx, history);
    lags.push(...lagsOf(ctx, history, heads));
    for (const { id, kind } of history.stores) {
      const head = heads.find(({ store }) => store === id);
      const series = history.series.count;
      if (series === 0) continue;
      const isWhole = head?.covered === series;
      const own = { storedUpTo: isWhole ? head.oldest : undefined, behind: series - (head?.abreast ?? 0) };
      found.set(id, addHead(found.get(id), { store: id, kind, ...own }));
    }
  }
  const now = platformNow(ctx);
  const stores = [...found.values()].map((head) => ({
    ...head,
    behindSec: head.storedUpTo && Math.max(0, (now - head.storedUpTo) / 1e6),
  }));
  return { series: countSeries(histories, ctx), stores, lags };
}

function addHead(
  before: StoreHead | undefined,
  { behind, ...own }: Pick<StoreHead, 'store' | 'kind' | 'storedUpTo'> & { behind: number },
): StoreHead {
  const known = before === undefined ? [own.storedUpTo] : [own.storedUpTo, before.storedUpTo];
  const isKnown = known.every((upTo) => upTo !== undefined);
  return {
    ...own,
    storedUpTo: isKnown ? Math.min(...known) : undefined,
    seriesBehind: behind + (before?.seriesBehind ?? 0),
    behindSec: undefined,
  };
}

/** Counts the series that any history has. A series belongs to one selection. */
function countSeries(histories: readonly WantedHistory[], { stores }: OverviewContext): number {
  const most = new Map<string, number>();
  for (const { selection, series, stores: own } of histories)
    if (own === stores) most.set(selection, Math.max(series.count, most.get(selection) ?? 0));
  return [...most.values()].reduce((sum, count) => sum + count, 0);
}
