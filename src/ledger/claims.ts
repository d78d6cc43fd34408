import type { Client } from 'pg';
import type { Database } from '../postgres/connect.ts';
import { asStoreError } from '../postgres/errors.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Range } from '../series/types.ts';
import { rangeText } from './range-text.ts';
import type { Schemas } from './schemas.ts';

/** Time after which a claim ends whose holder gives no sign of life, should the server not notice that it is gone. */
const LIFE = "interval '60 seconds'";

/** What is about to be read. */
export interface Claim {
  /** Name of the stream with its aggregate, as in the coverage. */
  readonly stream: string;
  readonly seriesIds: readonly number[];
  readonly range: Range;
}

/** The windows that one filling is reading, as all others see them. */
export interface Claimant {
  /** True if the window is the caller's to read; false while another filling reads a part of it. */
  take(claim: Claim): Promise<boolean>;
  /** Gives back a window that was taken. */
  release(claim: Claim): Promise<void>;
  /** A sign of life; due at least every half minute while windows are taken. */
  renew(): Promise<void>;
  /** Gives back everything, and the connection. */
  end(): Promise<void>;
}

export interface Claims {
  /** Begins a filling. It holds a connection of its own from its first claim on, so that its claims end when its process does. */
  begin(): Claimant;
}

/**
 * Claims keep fillings from reading the same windows side by side. They are no locks: nothing goes wrong where two take the same window
 * in the same moment, or where a claim ends too early; then it is read twice.
 */
export function createClaims(db: Database, schemas: Schemas): Claims {
  const table = quoteTable(schemas.ledger, 'claims');
  return {
    begin() {
      let session: Promise<Client> | undefined;
      let last: Promise<unknown> = Promise.resolve();
      const ask = async (text: string, values: unknown[]): Promise<number> => {
        try {
          session ??= db.openSession();
          return (await (await session).query(text, values)).rowCount ?? 0;
        } catch (error) {
          throw asStoreError(error, 'claiming windows of history');
        }
      };
      // One after the other: a connection takes one statement at a time.
      const run = (text: string, values: unknown[] = []): Promise<number> => {
        const work = last.then(() => ask(text, values));
        last = work.catch(() => undefined);
        return work;
      };
      return {
        take: async (claim) => (await run(takeSql(table), valuesOf(claim))) === 1,
        release: async (claim) =>
          void (await run(
            `delete from ${table} where session = pg_backend_pid()
             and stream = $1 and series_ids = $2::bigint[] and range = $3::tstzrange`,
            valuesOf(claim),
          )),
        async renew() {
          if (session === undefined) return;
          await run(`update ${table} set until = now() + ${LIFE} where session = pg_backend_pid()`);
        },
        async end() {
          if (session === undefined) return;
          try {
            await run(`delete from ${table} as c where session = pg_backend_pid() or not ${isAlive}`);
          } finally {
            await (await session).end();
          }
        },
      };
    },
  };
}

/** SQL: whether the claim `c` still holds. Of sessions of another user only the number is to be seen; their claims do not count. */
const isAlive = `(c.until > now() and exists (
  select from pg_stat_activity as a where a.pid = c.session and a.backend_start = c.session_started))`;

function takeSql(table: string): string {
  return `insert into ${table} (session, session_started, stream, series_ids, range, until)
    select me.pid, me.backend_start, $1, $2, $3, now() + ${LIFE} from pg_stat_activity as me
    where me.pid = pg_backend_pid() and not exists (
      select from ${table} as c where c.session <> me.pid and c.stream = $1
      and c.range && $3::tstzrange and c.series_ids && $2::bigint[] and ${isAlive})`;
}

function valuesOf({ stream, seriesIds, range }: Claim): unknown[] {
  return [stream, `{${seriesIds.join(',')}}`, rangeText(range)];
}
