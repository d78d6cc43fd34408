import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';
import type { Series } from '../series/types.ts';

export interface SeriesRegistry {
  /**
   * Gives every item its number, in the order of the items. A new series is inserted. A known series gets the
   * newly declared type, and its `vanished_at` is taken back. A null type ("not declared") keeps the known
   * type. An unchanged series costs no write.
   */
  register(items: readonly Omit<Series, 'id'>[]): Promise<Series[]>;
  /** Lists every series that has not vanished, ordered by number. */
  list(): Promise<Series[]>;
  /** Lists every series, vanished or not, ordered by number. */
  listAll(): Promise<Series[]>;
  /** Finds the series with these objects and properties, vanished or not. */
  find(names: readonly { readonly object: string; readonly property: string }[]): Promise<Series[]>;
  /** Finds the series with these numbers, vanished or not. */
  findById(ids: readonly number[]): Promise<Series[]>;
  /**
   * Finds the series with these names (`object.property`), vanished or not. Aliases may hold dots, so several
   * series may share a name.
   */
  findByName(names: readonly string[]): Promise<Series[]>;
}

/** Rows of one statement: enough to make the round trip cheap, and few enough to keep memory flat. */
const CHUNK_ROWS = 10_000;

/** Makes the registry of series, which is the table `series` of the data schema. */
export function createSeriesRegistry(db: Database, schemas: Schemas): SeriesRegistry {
  const table = quoteTable(schemas.data, 'series');
  return {
    async register(items) {
      const registered: Series[] = [];
      for (let i = 0; i < items.length; i += CHUNK_ROWS)
        registered.push(...(await registerChunk(db, table, items.slice(i, i + CHUNK_ROWS))));
      return registered;
    },

    async list() {
      const { rows } = await db.query(
        `select ${SERIES_COLUMNS} from ${table} where vanished_at is null order by series_id`,
      );
      return rows.map(seriesOf);
    },

    async listAll() {
      const { rows } = await db.query(`select ${SERIES_COLUMNS} from ${table} order by series_id`);
      return rows.map(seriesOf);
    },

    async find(names) {
      const { rows } = await db.query(
        `select ${SERIES_COLUMNS} from ${table}
         join unnest($1::text[], $2::text[]) as asked (object, property) using (object, property)
         order by series_id`,
        [names.map((name) => name.object), names.map((name) => name.property)],
      );
      return rows.map(seriesOf);
    },

    async findById(ids) {
      const { rows } = await db.query(
        `select ${SERIES_COLUMNS} from ${table} where series_id = any($1) order by series_id`,
        [ids],
      );
      return rows.map(seriesOf);
    },

    async findByName(names) {
      const { rows } = await db.query(
        `select ${SERIES_COLUMNS} from ${table} where object || '.' || property = any($1::text[]) order by series_id`,
        [names],
      );
      return rows.map(seriesOf);
    },
  };
}

const SERIES_COLUMNS = 'series_id, object, property, primitive_type';

function seriesOf(row: Record<string, unknown>): Series {
  return {
    id: row.series_id as number,
    object: row.object as string,
    property: row.property as string,
    primitiveType: row.primitive_type as string | null,
  };
}

async function registerChunk(
  db: Database,
  table: string,
  items: readonly Omit<Series, 'id'>[],
): Promise<Series[]> {
  const { rows } = await db.query(
    `with asked as materialized (
       select object, property, primitive_type, n
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality as a (object, property, primitive_type, n)),
     written as (
       insert into ${table} as s (object, property, primitive_type)
       select distinct on (object, property) object, property, primitive_type from asked as a
       where not exists (
         select from ${table} as k where k.object = a.object and k.property = a.property
         and k.vanished_at is null and k.primitive_type is not distinct from coalesce(a.primitive_type, k.primitive_type))
       order by object, property, n desc
       on conflict (object, property) do update
         set primitive_type = coalesce(excluded.primitive_type, s.primitive_type), vanished_at = null
       returning series_id, object, property, primitive_type)
     select ${SERIES_COLUMNS} from (
       select w.series_id, a.object, a.property, w.primitive_type, a.n
       from asked as a join written as w using (object, property)
       union all
       select k.series_id, a.object, a.property, k.primitive_type, a.n
       from asked as a join ${table} as k using (object, property)
       where not exists (select from written as w where w.series_id = k.series_id)) as found
     order by n`,
    [
      items.map((item) => item.object),
      items.map((item) => item.property),
      items.map((item) => item.primitiveType),
    ],
  );
  return rows.map(seriesOf);
}
