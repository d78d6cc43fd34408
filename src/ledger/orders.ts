import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { timestamptzText } from '../postgres/type-parsers.ts';
import { jsonText } from './json-text.ts';
import type { Leases } from './leases/leases.ts';

export type OrderKind = 'backfill' | 'replay';
export type OrderStatus = 'waiting' | 'running' | 'done' | 'partial' | 'failed' | 'cancelled';

/** Work that somebody asked of the service, with what became of it. */
export interface OrderRecord {
  readonly id: number;
  readonly kind: OrderKind;
  /** What is asked for, as it was given to `ask`. */
  readonly body: unknown;
  readonly status: OrderStatus;
  /** Epoch microseconds. `takenAt` is when a process last began the work. */
  readonly askedAt: number;
  readonly takenAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly isCancelAsked: boolean;
  readonly result: unknown;
  readonly error: string | undefined;
}

/** How the work of an order ended. */
export interface OrderEnd {
  readonly status: Exclude<OrderStatus, 'waiting' | 'running'>;
  readonly result?: object | undefined;
  readonly error?: string | undefined;
}

/** Work that people ask of the service. It survives restarts, and one process does it. */
export interface Orders {
  /** Asks for work. Resolves to the number of the order. */
  ask(kind: OrderKind, body: object): Promise<number>;
  /**
   * Takes the oldest order of a kind that no living process works on. The order is held by the lease of this
   * process. Resolves to undefined if there is none.
   */
  take(kind: OrderKind): Promise<OrderRecord | undefined>;
  /** Gives back an order that this process cannot end, for another process or the next start. */
  giveBack(id: number): Promise<void>;
  /** Notes the end of an order, unless another process has taken the order since. */
  finish(id: number, end: OrderEnd): Promise<void>;
  /**
   * Asks that the work of an order end. An order that waits ends at once. Resolves to false if the order has
   * ended before, or does not exist.
   */
  cancel(id: number): Promise<boolean>;
  get(id: number): Promise<OrderRecord | undefined>;
  /** Counts the orders that have not ended. */
  countOpen(): Promise<{ kind: OrderKind; status: 'waiting' | 'running'; orders: number }[]>;
  /** Lists orders of a kind, the newest first; with `before`, those asked before it (epoch microseconds). */
  list(kind: OrderKind, page?: { before?: number | undefined; limit?: number }): Promise<OrderRecord[]>;
}

/** Number of ended orders that are kept, the newest. */
const KEPT = 1_000;

/** Makes the part of the ledger that keeps what people ask of the service. */
export function createOrders(db: Database, schemas: Schemas, holding: Leases): Orders {
  const table = quoteTable(schemas.ledger, 'orders');
  const leases = quoteTable(schemas.ledger, 'leases');
  const isHeld = `exists (select from ${leases} as l where l.id = o.lease and l.until > clock_timestamp())`;
  const isOpen = `o.finished_at is null`;
  // An order whose process is gone waits for the next process.
  const status = `case when status = 'running' and not ${isHeld} then 'waiting' else status end as status`;
  const facts = ['id', 'kind', 'body', 'asked_at', 'taken_at', 'finished_at', 'result', 'error'];
  const columns = [...facts, 'cancel_asked_at is not null as cancel_asked', status].join(', ');
  /** The orders that this process works on, with the lease by which it holds each. */
  const held = new Map<number, number>();
  return {
    async ask(kind, body) {
      const { rows } = await db.query(
        `with pruned as (
           delete from ${table} where finished_at is not null and id <= (
             select id from ${table} where finished_at is not null order by id desc offset ${KEPT} limit 1))
         insert into ${table} (kind, body) values ($1, $2) returning id`,
        [kind, jsonText(body)],
      );
      return rows[0]?.id as number;
    },

    async take(kind) {
      const { id: lease } = await holding.hold();
      const { rows } = await db.query(
        `update ${table} as o set status = 'running', lease = $2, taken_at = now()
         where o.id = (select o.id from ${table} as o where ${isOpen} and o.kind = $1 and not ${isHeld}
                       order by o.id limit 1 for update skip locked)
         returning ${columns}`,
        [kind, lease],
      );
      const [order] = rows.map(orderOf);
      if (order !== undefined) held.set(order.id, lease);
      return order;
    },

    async giveBack(id) {
      await db.query(
        `update ${table} as o set status = 'waiting', lease = null where id = $1 and lease = $2 and ${isOpen}`,
        [id, held.get(id)],
      );
      held.delete(id);
    },

    async finish(id, { status, result, error }) {
      await db.query(
        `update ${table} as o set status = $2, result = $3, error = $4, finished_at = now(), lease = null
         where id = $1 and lease = $5 and ${isOpen}`,
        [
          id,
          status,
          result === undefined ? null : jsonText(result),
          error?.replaceAll('\0', '\ufffd') ?? null,
          held.get(id),
        ],
      );
      held.delete(id);
    },

    async cancel(id) {
      const { rowCount } = await db.query(
        `update ${table} as o set cancel_asked_at = coalesce(o.cancel_asked_at, now()),
           status = case when ${isHeld} then o.status else 'cancelled' end,
           finished_at = case when ${isHeld} then null else now() end
         where o.id = $1 and ${isOpen}`,
        [id],
      );
      return rowCount === 1;
    },

    async get(id) {
      const { rows } = await db.query(`select ${columns} from ${table} as o where o.id = $1`, [id]);
      return rows.map(orderOf)[0];
    },

    async countOpen() {
      const { rows } = await db.query(
        `select kind, status, count(*)::int as orders
         from (select o.kind, ${status} from ${table} as o where ${isOpen}) as open group by kind, status`,
      );
      return rows.map((row) => ({
        kind: row.kind as OrderKind,
        status: row.status as 'waiting' | 'running',
        orders: row.orders as number,
      }));
    },

    async list(kind, { before, limit = 100 } = {}) {
      const { rows } = await db.query(
        `select ${columns} from ${table} as o
         where o.kind = $1 and ($2::timestamptz is null or o.asked_at < $2) order by o.id desc limit $3`,
        [kind, before === undefined ? null : timestamptzText(before), limit],
      );
      return rows.map(orderOf);
    },
  };
}

function orderOf(row: Record<string, unknown>): OrderRecord {
  return {
    id: row.id as number,
    kind: row.kind as OrderKind,
    body: row.body,
    status: row.status as OrderStatus,
    askedAt: row.asked_at as number,
    takenAt: (row.taken_at as number | null) ?? undefined,
    finishedAt: (row.finished_at as number | null) ?? undefined,
    isCancelAsked: row.cancel_asked as boolean,
    result: row.result ?? undefined,
    error: (row.error as string | null) ?? undefined,
  };
}
