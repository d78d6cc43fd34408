import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import { StatementValues } from './name-rule-sql.ts';
import {
  namesSql,
  type PropertyKey,
  RECORDED,
  type SelectedQuestion,
  type SelectionRules,
  selectedSql,
  takenSql,
} from './read-selected.ts';
import { liveSql } from './row-sql.ts';

/** Counts the properties that a selection takes. */
export async function countSelected(
  db: Database,
  schema: string,
  question: SelectedQuestion,
): Promise<number> {
  const values = new StatementValues();
  const { rows } = await db.query(
    `select count(*) as count from ${quoteTable(schema, 'object_properties')} as p
     where p.deleted_at is null and ${selectedSql(question, values)}`,
    values.list,
  );
  return rows[0]?.count as number;
}

/** Numbers of the properties that the platform lists. */
export interface ListedCounts {
  readonly listed: number;
  /** Listed properties that the platform persists or logs. */
  readonly recorded: number;
}

export async function countListed(db: Database, schema: string): Promise<ListedCounts> {
  const [listed, recorded] = await countRows(db, schema, ['true', RECORDED], new StatementValues());
  return { listed, recorded } as ListedCounts;
}

/** Numbers of properties that no selection reads, by the reason. */
export interface LeftOut {
  /** Properties whose names match a selection, and which the platform neither persists nor logs. */
  readonly unrecorded: number;
  /** Properties whose names no selection matches. */
  readonly unmatched: number;
}

/**
 * Counts the properties that no selection reads. The index of names leads to those that match. All others are
 * counted without a look at their names.
 */
export async function countLeftOut(
  db: Database,
  schema: string,
  selections: readonly SelectionRules[],
): Promise<LeftOut> {
  const values = new StatementValues();
  const any = (sql: (rules: SelectionRules) => string) =>
    selections.map((rules) => `(${sql(rules)})`).join(' or ') || 'false';
  const table = quoteTable(schema, 'object_properties');
  const { rows } = await db.query<{ unmatched: number; unrecorded: number }>(
    `select (select count(*) from ${table} where deleted_at is null) - count(*) as unmatched,
       count(*) filter (where not (${any((rules) => takenSql(rules, values))})) as unrecorded
     from ${table} as p
     where p.deleted_at is null and (${any((rules) => namesSql(rules, values))})`,
    values.list,
  );
  return rows[0] as LeftOut;
}

/** Counts the properties whose names match, and those of them that the selection may take. */
export async function countMatching(
  db: Database,
  schema: string,
  rules: SelectionRules,
): Promise<{ matching: number; usable: number }> {
  const values = new StatementValues();
  const filters = [namesSql(rules, values), takenSql(rules, values)];
  const [matching, usable] = await countRows(db, schema, filters, values);
  return { matching, usable } as { matching: number; usable: number };
}

/** Tells whether the platform lists a property. */
export async function isListed(db: Database, schema: string, key: PropertyKey): Promise<boolean> {
  const { rows } = await db.query(
    `select from ${quoteTable(schema, 'object_properties')} as p
     where p.object = $1 and p.property = $2 and ${liveSql('p')}`,
    [key.object, key.property],
  );
  return rows.length > 0;
}

/** Names of one statement. */
const NAMES_READ = 10_000;

/** Reads the names of all objects that have properties, or of all properties, each once, in parts. */
export async function* readNames(
  db: Database,
  schema: string,
  column: 'object' | 'property',
): AsyncGenerator<string[]> {
  let after: string | undefined;
  do {
    const { rows } = await db.query(
      `select distinct ${column} collate "C" as name from ${quoteTable(schema, 'object_properties')}
       where deleted_at is null and ($1::text is null or ${column} collate "C" > $1)
       order by 1 limit ${NAMES_READ}`,
      [after ?? null],
    );
    const names = rows.map(({ name }) => name as string);
    yield names;
    after = names.at(-1);
  } while (after !== undefined);
}

/** Counts the listed properties once for each of the filters. */
async function countRows(
  db: Database,
  schema: string,
  filters: readonly string[],
  values: StatementValues,
): Promise<number[]> {
  const counts = filters.map((filter, k) => `count(*) filter (where ${filter}) as n${k}`);
  const { rows } = await db.query(
    `select ${counts.join(', ')} from ${quoteTable(schema, 'object_properties')} as p where p.deleted_at is null`,
    values.list,
  );
  return filters.map((_, k) => rows[0]?.[`n${k}`] as number);
}
