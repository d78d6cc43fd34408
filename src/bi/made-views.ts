import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import type { Schemas } from '../postgres/schemas.ts';
import type { BiView } from './bi-view.ts';

/** A view or function that was made. */
export type MadeView = Pick<BiView, 'name' | 'takes'>;

/** What the ledger remembers of the views that were made last, and what of it the database has. */
export interface MadeViews {
  /** Digest of the definitions. Undefined if none were ever made. */
  readonly digest: string | undefined;
  /** Version of the program that made them. */
  readonly program: string | undefined;
  readonly views: readonly MadeView[];
  /** False if one of them was dropped, or reads a table that has another name by now. */
  readonly areWhole: boolean;
  /** True if the user owns the tables, and so may make views of them. */
  readonly isOwner: boolean;
}

/**
 * Names of the tables that the views of a schema read. A table that was renamed is still read: the views
 * would show what is in it, and nothing of the table that took its place.
 */
const USED_SQL = `
  select coalesce(array_agg(distinct used.relname::text order by used.relname::text), '{}')
  from pg_class as view
  join pg_rewrite as r on r.ev_class = view.oid
  join pg_depend as d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
  join pg_class as used on used.oid = d.refobjid
  where view.relkind = 'v' and used.relkind in ('r', 'p')
    and view.relnamespace = (select oid from pg_namespace where nspname = $1::text)`;

/** Reads what is known of the views of a schema, in one look. */
export async function readMade(db: Queryable, schemas: Schemas): Promise<MadeViews> {
  const { rows } = await db.query(
    `select k.digest, k.program, coalesce(k.made, '[]') as views, coalesce(present.count, 0) = jsonb_array_length(k.made)
         and k.used = (${USED_SQL}) as whole,
       (select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass($2)) as is_owner
     from (select) as one left join ${quoteTable(schemas.ledger, 'views')} as k on k.schema = $1::text
     left join lateral (
       select count(*)::int as count from jsonb_to_recordset(k.made) as m (name text, takes text)
       where exists (select from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
               where n.nspname = $1::text and c.relname = m.name and c.relkind = 'v' and m.takes is null)
         or exists (select from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
               where n.nspname = $1::text and p.proname = m.name and m.takes is not null)) as present on true`,
    [schemas.bi, quoteTable(schemas.data, 'series')],
  );
  const [row] = rows;
  return {
    digest: (row?.digest as string | null) ?? undefined,
    program: (row?.program as string | null) ?? undefined,
    views: row?.views as MadeView[],
    areWhole: row?.whole === true,
    isOwner: row?.is_owner === true,
  };
}

/** Notes what was made, in the transaction that made it. */
export async function noteMade(
  tx: Queryable,
  schemas: Schemas,
  made: { digest: string; program: string; views: readonly MadeView[] },
): Promise<void> {
  const views = made.views.map(({ name, takes }) => ({ name, takes }));
  await tx.query(
    `insert into ${quoteTable(schemas.ledger, 'views')} as k (schema, digest, program, made, used)
     values ($1, $2, $3, $4, (${USED_SQL}))
     on conflict (schema) do update set digest = excluded.digest, program = excluded.program,
       made = excluded.made, used = excluded.used, made_at = now()`,
    [schemas.bi, made.digest, made.program, JSON.stringify(views)],
  );
}
