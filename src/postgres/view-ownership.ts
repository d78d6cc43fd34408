import type { Database } from './connect.ts';
import { quoteName } from './names.ts';

/**
 * Lists the statements that give the user the schema of views and what is in it. The list is empty if the
 * user owns all of it already, or if there is no such schema.
 */
export async function listViewTransfers(db: Database, schema: string): Promise<string[]> {
  const { rows } = await db.query<{ what: string }>(
    `select format('view %I.%I', $1::text, c.relname) as what from pg_class as c
      where c.relnamespace = to_regnamespace($2) and c.relkind = 'v' and not pg_has_role(c.relowner, 'usage')
     union all
     select format('function %I.%I(%s)', $1::text, p.proname, pg_get_function_identity_arguments(p.oid))
       from pg_proc as p
      where p.pronamespace = to_regnamespace($2) and not pg_has_role(p.proowner, 'usage')
     order by 1`,
    [schema, quoteName(schema)],
  );
  if (rows.length === 0) return [];
  const user = quoteName(db.user);
  return [
    `alter schema ${quoteName(schema)} owner to ${user}`,
    ...rows.map(({ what }) => `alter ${what} owner to ${user}`),
  ];
}
