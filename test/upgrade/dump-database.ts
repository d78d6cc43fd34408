import type { Client } from 'pg';
import { dumpSchema } from './dump-schema.ts';

/** The number of rows in one statement. */
const ROWS_AT_ONCE = 500;

/** Dumps schemas with all their rows, as SQL that any client can run on an empty database. */
export async function dumpDatabase(db: Client, schemas: readonly string[]): Promise<string> {
  // Then the names in the statements include their schema.
  await db.query(`set search_path to pg_catalog; set timezone to utc`);
  const { before, after } = await dumpSchema(db, schemas);
  const rows = await dumpRows(db, schemas);
  return `${[...before, ...rows, ...after].join(';\n')};\n`;
}

async function dumpRows(db: Client, schemas: readonly string[]): Promise<string[]> {
  const { rows: tables } = await db.query<{ name: string; columns: string }>(tablesSql, [schemas]);
  const statements: string[] = [];
  for (const { name, columns } of tables) {
    const { rows } = await db.query<{ statement: string }>(rowsSql(name, columns), [name, columns]);
    statements.push(...rows.map(({ statement }) => statement));
  }
  return statements;
}

/** Rows of partitions are written to their table. Columns that the server computes are left out. */
const tablesSql = `
  select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
  from pg_class as c join pg_attribute as a on a.attrelid = c.oid
  where c.relnamespace = any($1::text[]::regnamespace[]) and c.relkind in ('r', 'p') and not c.relispartition
  and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  group by c.oid order by c.oid::regclass::text`;

/** Rows are dumped as JSON, from which every type of a column can be restored without loss. */
function rowsSql(table: string, columns: string): string {
  return `
    select format('insert into %1$s (%2$s) overriding system value select %2$s from json_populate_recordset(null::%1$s, %3$L)',
      $1::text, $2::text, '[' || string_agg(line, E',\\n') || ']') as statement
    from (select line, (row_number() over (order by line) - 1) / ${ROWS_AT_ONCE} as part
      from (select row_to_json(t)::text as line from (select ${columns} from ${table}) as t) as lines) as parts
    group by part order by part`;
}
