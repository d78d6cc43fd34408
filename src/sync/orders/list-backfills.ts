import type { Ledger } from '../../ledger/ledger.ts';
import type { OrderRecord, OrderStatus } from '../../ledger/orders.ts';
import type { ListedRun } from '../../ledger/runs.ts';
import { formatInstant } from '../../series/instant.ts';
import type { RunProgress } from '../progress-meter.ts';
import type { RunSummary } from '../run-summary.ts';
import type { AskedBackfill } from '../selection/fill-order.ts';
import { ALARMS } from '../stream-names.ts';
import type { BackfillBody } from './order-body.ts';

const BACKFILL = 'backfill';

/** A backfill that somebody asked for: by an order to the service, or by a command. */
export interface Backfill extends Omit<AskedBackfill, 'order'> {
  /** Undefined for a backfill of a command. */
  readonly order: number | undefined;
  /** The newest run of the backfill. Undefined before it begins. */
  readonly run: number | undefined;
  readonly alarms: boolean;
  /** `interrupted` and `lost` are of commands only: the service goes on by itself. */
  readonly status: OrderStatus | 'interrupted' | 'lost';
  readonly isCancelAsked: boolean;
  /** Epoch microseconds. */
  readonly askedAt: number;
  readonly begunAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly progress: RunProgress | undefined;
  /** What the newest run did, once it has ended. */
  readonly summary: RunSummary | undefined;
  readonly error: string | undefined;
}

/** Lists backfills, the newest first; with `before`, those asked for before it (epoch microseconds). */
export async function listBackfills(
  { orders, runs }: Pick<Ledger, 'orders' | 'runs'>,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<Backfill[]> {
  const asked = await orders.list(BACKFILL, { before, limit });
  const byCommand = await runs.list({ kind: BACKFILL, orders: 'none', to: before, limit });
  const found = [...(await withRuns(runs, asked)), ...byCommand.map(ofCommand)];
  return found.sort((a, b) => b.askedAt - a.askedAt).slice(0, limit);
}

/** Reads the backfill of an order. Resolves to undefined if there is no such order. */
export async function readBackfill(
  { orders, runs }: Pick<Ledger, 'orders' | 'runs'>,
  id: number,
): Promise<Backfill | undefined> {
  const order = await orders.get(id);
  if (order?.kind !== BACKFILL) return undefined;
  return (await withRuns(runs, [order]))[0];
}

async function withRuns(runs: Ledger['runs'], orders: readonly OrderRecord[]): Promise<Backfill[]> {
  if (orders.length === 0) return [];
  const ids = orders.map(({ id }) => id);
  // The newest run of an order comes first. A backfill that goes on after a restart has several.
  const own = await runs.list({ kind: BACKFILL, orders: ids, limit: 10 * ids.length });
  return orders.map((order) =>
    ofOrder(
      order,
      own.find(({ asked }) => (asked as AskedBackfill).order === order.id),
    ),
  );
}

function ofOrder(order: OrderRecord, run: ListedRun | undefined): Backfill {
  const { from, to, ...rest } = order.body as BackfillBody;
  const { id, status, askedAt, finishedAt, isCancelAsked } = order;
  return {
    ...rest,
    from: formatInstant(from),
    to: formatInstant(to),
    ...partsOfRun(run),
    ...{ order: id, status, askedAt, finishedAt, isCancelAsked },
    error: order.error,
  };
}

function ofCommand(run: ListedRun): Backfill {
  const { order: _, ...asked } = (run.asked ?? { from: '', to: '', force: false }) as AskedBackfill;
  const { status, startedAt, finishedAt, isCancelAsked, error, stream } = run;
  const isCancelled = status === 'interrupted' && isCancelAsked;
  return {
    ...asked,
    ...partsOfRun(run),
    ...{ order: undefined, askedAt: startedAt, finishedAt, isCancelAsked, error },
    alarms: stream === ALARMS,
    status: isCancelled ? 'cancelled' : status,
  };
}

function partsOfRun(run: ListedRun | undefined): Pick<Backfill, 'run' | 'begunAt' | 'progress' | 'summary'> {
  return {
    run: run?.id,
    begunAt: run?.startedAt,
    progress: run?.progress as RunProgress | undefined,
    summary: (run?.summary as RunSummary | null | undefined) ?? undefined,
  };
}
