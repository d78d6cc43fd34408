import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { timestamptzText } from '../postgres/type-parsers.ts';
import { jsonText } from './json-text.ts';

/** What a webhook has taken of a notice. */
export type Told = 'opened' | 'recovered';

/** A problem that webhooks are told of. Times are epoch microseconds. */
export interface NoticeRecord {
  readonly id: string;
  /** The same problem has the same key. */
  readonly key: string;
  readonly openedAt: number;
  /** Undefined while the problem lasts. */
  readonly recoveredAt: number | undefined;
  /** The problem as the webhooks get it. */
  readonly body: unknown;
  /** By name of the webhook. */
  readonly told: Readonly<Record<string, Told>>;
}

/** What the webhooks were told. It survives restarts, and all processes share it. */
export interface Notices {
  /** Lists all notices, the oldest first. */
  list(): Promise<NoticeRecord[]>;
  save(notice: NoticeRecord): Promise<void>;
  /** Forgets a notice of which every webhook knows that it is over. */
  remove(id: string): Promise<void>;
}

/** Makes the part of the ledger that keeps what the webhooks were told. */
export function createNotices(db: Database, schemas: Schemas): Notices {
  const table = quoteTable(schemas.ledger, 'notices');
  return {
    async list() {
      const { rows } = await db.query(
        `select id, key, opened_at, recovered_at, body, told from ${table} order by opened_at, id`,
      );
      return rows.map((row) => ({
        id: row.id as string,
        key: row.key as string,
        openedAt: row.opened_at as number,
        recoveredAt: (row.recovered_at as number | null) ?? undefined,
        body: row.body,
        told: row.told as NoticeRecord['told'],
      }));
    },

    async save({ id, key, openedAt, recoveredAt, body, told }) {
      await db.query(
        `insert into ${table} as n (id, key, opened_at, recovered_at, body, told) values ($1, $2, $3, $4, $5, $6)
         on conflict (id) do update set recovered_at = excluded.recovered_at, body = excluded.body, told = n.told || excluded.told`,
        [
          id,
          key,
          timestamptzText(openedAt),
          recoveredAt === undefined ? null : timestamptzText(recoveredAt),
          jsonText(body),
          jsonText(told),
        ],
      );
    },

    async remove(id) {
      await db.query(`delete from ${table} where id = $1`, [id]);
    },
  };
}
