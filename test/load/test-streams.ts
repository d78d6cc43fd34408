import { ensureTables } from '../../src/load/rows/ensure-tables.ts';
import { type LoadResult, loadRows, type WholeSets } from '../../src/load/rows/load-rows.ts';
import { type RowTarget, targetsOf } from '../../src/load/rows/row-targets.ts';
import type { Database } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import {
  type Column,
  type ColumnType,
  defineStream,
  type Row,
  type Stream,
} from '../../src/streams/define.ts';

/** Makes a column of a test. `source` is the member of the same name unless given. */
export function columnOf(name: string, type: ColumnType = 'text', source = name): Column {
  return { name, type, source, meaning: `It's the ${name}.`, example: '' };
}

/** Makes a stream of a test, whose columns are given by name and type. */
export function streamOf(
  name: string,
  columns: Readonly<Record<string, ColumnType>>,
  more: Partial<Stream> = {},
): Stream {
  return defineStream({
    name,
    about: 'Rows; "all" of them.',
    operation: 'listPersons',
    key: Object.keys(columns).slice(0, 1),
    columns: Object.entries(columns).map(([column, type]) => columnOf(column, type)),
    ...more,
  });
}

/** The result of a load without any change. */
export const none: LoadResult = {
  inserted: 0,
  updated: 0,
  unchanged: 0,
  restored: 0,
  deleted: 0,
  missing: [],
  refused: [],
};

/** Writes to one table of a declared stream, and reads it. */
export interface TestTable {
  readonly target: RowTarget;
  load(rows: readonly Row[], whole?: WholeSets): Promise<LoadResult>;
  /** Reads the rows with the given columns, ordered by the first of them. */
  read(columns: string): Promise<Record<string, unknown>[]>;
  /** Returns the changes noted since the last call. */
  takeChanges(): Promise<Record<string, unknown>[]>;
}

/** Makes the tables of a stream, and opens its own table or that of a part. */
export async function openTable(
  db: Database,
  stream: Stream,
  { keepRaw = false, filter = null, part }: { keepRaw?: boolean; filter?: string | null; part?: number } = {},
): Promise<TestTable> {
  await ensureTables(db, 'plant', stream, { keepRaw });
  const targets = targetsOf(stream, { keepRaw, filter });
  const target = part === undefined ? targets.main : targets.parts[part];
  if (target === undefined) throw new Error(`${stream.name} has no part ${part}`);
  return {
    target,
    async load(rows, whole) {
      const [result] = await loadRows(db, defaultSchemas, [{ target, rows, ...(whole && { whole }) }]);
      return result as LoadResult;
    },
    async read(columns) {
      return (await db.query(`select ${columns} from plant.${target.table} order by 1, 2`)).rows;
    },
    async takeChanges() {
      const { rows } = await db.query(
        `with taken as (delete from plantsync.changes where table_name = $1 returning *)
         select key, kind, before from taken order by id`,
        [target.table],
      );
      return rows;
    },
  };
}
