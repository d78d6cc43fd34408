import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import type { Schemas } from '../postgres/schemas.ts';

/** What is known of the rows of one list. */
export interface KnownContent {
  /** What the list held, as a text. Undefined if the tables may hold something else. */
  readonly content: string | undefined;
  /** Name of the last load of the list. Undefined if it was never loaded. */
  readonly version: string | undefined;
}

/** A list of which rows were loaded. */
export interface LoadedList {
  /** Key of the parent row. */
  readonly parent: string;
  /** What the list held. Undefined if the tables may hold something else. */
  readonly content: string | undefined;
  /** Name of this load, which no other load has. */
  readonly version: string;
  /** Name of the last load of the list that was known when its reading began. */
  readonly replaces: string | undefined;
}

/**
 * When the list or the details of each parent row were last read, and what they held. If this is lost, they
 * are read again, and compared with the tables row by row.
 */
export interface Reads {
  /**
   * Returns when each parent was last read (epoch microseconds), by its key. A parent that was never read is
   * not in the map.
   */
  list(stream: string): Promise<Map<string, number>>;
  /** Returns what is known of the lists of some parents, by the key of the parent. */
  listContents(stream: string, parents: readonly string[]): Promise<Map<string, KnownContent>>;
  /**
   * Notes that these parents were read, in the transaction of their rows. The time is the beginning of the
   * transaction. What their lists held stays as it is.
   */
  note(stream: string, parents: readonly string[], tx: Queryable): Promise<void>;
  /**
   * Notes that these lists were read, and what they held, in the transaction of their rows. Another process
   * may have loaded rows of a list in the meantime. Then the tables may hold a mixture, and the content of
   * the list is forgotten.
   */
  noteContents(stream: string, lists: readonly LoadedList[], tx: Queryable): Promise<void>;
  /** Notes that some rows of these lists were loaded, in the transaction of the rows. */
  noteParts(
    stream: string,
    lists: readonly Pick<LoadedList, 'parent' | 'version'>[],
    tx: Queryable,
  ): Promise<void>;
  /** Forgets what the lists of a stream held, so that its next scan compares them row by row. */
  forgetContents(stream: string): Promise<void>;
  /** Forgets these parents of a stream, or all of them. Resolves to their number. */
  forget(stream: string, parents?: readonly string[]): Promise<number>;
}

/** SQL of the time of a list that was never read to its end. */
const NEVER = 'to_timestamp(0)';

/** Makes the part of the ledger that keeps when parent rows were last read. */
export function createReads(db: Database, schemas: Schemas): Reads {
  const table = quoteTable(schemas.ledger, 'reads');
  return {
    async list(stream) {
      const { rows } = await db.query(
        `select parent, read_at from ${table} where stream = $1 and read_at > ${NEVER}`,
        [stream],
      );
      return new Map(rows.map((row) => [row.parent as string, row.read_at as number]));
    },

    async listContents(stream, parents) {
      // Whatever the number of parents, Postgres looks them up in the index, as if they were few.
      const { rows } = await db.query(
        `select parent, content, version from ${table} where stream = $1 and version is not null
         and md5(parent) = any(array(select md5(p) from unnest($2::text[]) as a (p)))`,
        [stream, parents],
      );
      return new Map(
        rows.map(({ parent, content, version }) => [
          parent as string,
          { content: (content as string | null) ?? undefined, version: version as string },
        ]),
      );
    },

    async note(stream, parents, tx) {
      // The parents are sorted, so that two writers lock rows in the same order and cannot deadlock.
      await tx.query(
        `insert into ${table} as r (stream, parent, read_at)
         select $1, parent, now() from (select distinct parent from unnest($2::text[]) as a (parent)) as asked
         order by parent collate "C"
         on conflict (stream, md5(parent)) do update set read_at = greatest(r.read_at, excluded.read_at)`,
        [stream, parents],
      );
    },

    async noteContents(stream, lists, tx) {
      await tx.query(
        `insert into ${table} as r (stream, parent, read_at, content, version, replaces)
         select $1, parent, now(), content, version, replaces
         from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as a (parent, content, version, replaces)
         order by parent collate "C"
         on conflict (stream, md5(parent)) do update
         set read_at = greatest(r.read_at, excluded.read_at), version = excluded.version, replaces = null,
           -- The version is the own one if a commit succeeded without an answer, and is tried again.
           content = case when r.version is not distinct from excluded.replaces or r.version = excluded.version
                     then excluded.content end`,
        [
          stream,
          lists.map(({ parent }) => parent),
          lists.map(({ content }) => content ?? null),
          lists.map(({ version }) => version),
          lists.map(({ replaces }) => replaces ?? null),
        ],
      );
    },

    async noteParts(stream, lists, tx) {
      await tx.query(
        `insert into ${table} (stream, parent, read_at, version)
         select $1, parent, ${NEVER}, version from unnest($2::text[], $3::text[]) as a (parent, version)
         order by parent collate "C"
         on conflict (stream, md5(parent)) do update set content = null, version = excluded.version`,
        [stream, lists.map(({ parent }) => parent), lists.map(({ version }) => version)],
      );
    },

    async forgetContents(stream) {
      await db.query(`update ${table} set content = null where stream = $1 and content is not null`, [
        stream,
      ]);
    },

    async forget(stream, parents) {
      const { rowCount } = await db.query(
        `delete from ${table} where stream = $1
         and ($2::text[] is null or md5(parent) in (select md5(p) from unnest($2) as a (p)))`,
        [stream, parents ?? null],
      );
      return rowCount ?? 0;
    },
  };
}
