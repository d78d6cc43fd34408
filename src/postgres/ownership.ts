import { escapeLiteral } from 'pg';
import type { Database } from './connect.ts';
import { quoteName, quoteTable } from './names.ts';

/** Who owns the tables, and which statements change that. */
export interface Ownership {
  /**
   * A role that owns tables and of which the user is no member. It is undefined if the user owns all tables.
   */
  readonly owner: string | undefined;
  /** Statements that make the user the owner of everything. */
  readonly transfer: readonly string[];
  /**
   * Statements that let the user write without being the owner. The list is empty if the user may write
   * already.
   */
  readonly grants: readonly string[];
}

interface Found {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'function';
  readonly owner: string;
  readonly is_own: boolean;
  readonly may_write: boolean;
}

/** Finds the tables and functions of the schemas. A partition is a part of its table. */
const FOUND_SQL = `
  select n.nspname as schema, c.relname as name, 'table' as kind, pg_get_userbyid(c.relowner) as owner,
         pg_has_role(c.relowner, 'usage') as is_own,
         has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
           and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete') as may_write
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition
  union all
  select n.nspname, p.proname, 'function', pg_get_userbyid(p.proowner), pg_has_role(p.proowner, 'usage'),
         has_function_privilege(p.oid, 'execute')
    from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
    where n.nspname = any($1)`;

/** The function that a role without the tables calls. Triggers call the others. */
const CALLED_FUNCTION = 'make_month';

/** Reads who owns the tables of the schemas, and which rights a user lacks who does not own them. */
export async function readOwnership(db: Database, schemas: readonly string[]): Promise<Ownership> {
  const { rows } = await db.query<Found & Record<string, unknown>>(FOUND_SQL, [schemas]);
  const foreign = rows.find(({ is_own }) => !is_own);
  const user = quoteName(db.user);
  const used = schemas.filter((schema) => rows.some((row) => row.schema === schema && row.kind === 'table'));
  const ofFunction = (row: Found) => `function ${quoteTable(row.schema, row.name)}`;
  const functions = rows.filter(({ kind }) => kind === 'function');
  const lacksTables = used.filter((schema) =>
    rows.some((row) => row.schema === schema && row.kind === 'table' && !row.may_write),
  );
  return {
    owner: foreign?.owner,
    transfer: [
      ...used.map((schema) => `alter schema ${quoteName(schema)} owner to ${user}`),
      ...functions.map((row) => `alter ${ofFunction(row)} owner to ${user}`),
      ...(used.length > 0 ? [transferTables(used, db.user)] : []),
    ],
    grants: [
      ...lacksTables.map(
        (schema) =>
          `grant select, insert, update, delete on all tables in schema ${quoteName(schema)} to ${user}`,
      ),
      ...functions
        .filter(({ name, may_write }) => name === CALLED_FUNCTION && !may_write)
        .map((row) => `grant execute on ${ofFunction(row)} to ${user}`),
    ],
  };
}

/**
 * Returns one statement that gives all tables, partitions and sequences to a user. There may be hundreds of
 * them. A sequence that belongs to a table goes with it.
 */
function transferTables(schemas: readonly string[], user: string): string {
  const names = schemas.map((schema) => `${escapeLiteral(quoteName(schema))}::regnamespace`).join(', ');
  return (
    `do $$ declare t regclass; begin for t in select oid from pg_class where relnamespace in (${names}) and (relkind in ('r', 'p') ` +
    `or relkind = 'S' and not exists (select from pg_depend as d where d.objid = pg_class.oid and d.deptype in ('a', 'i'))) ` +
    `loop execute format('alter table %s owner to %I', t, ${escapeLiteral(user)}); end loop; end $$`
  );
}
