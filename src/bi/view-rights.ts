import type { Queryable } from '../postgres/queryable.ts';

/** A right that somebody has on a view, a column of one, or a function. */
interface Right {
  /** The view or function as it stands in `grant`: quoted, with its schema and the types of arguments. */
  readonly target: string;
  /** The column, quoted. Null for a right on the whole. */
  readonly column: string | null;
  /** The role, quoted, or `public`. */
  readonly grantee: string;
  readonly privilege: string;
  readonly is_grantable: boolean;
}

/** The rights on the views and functions of a schema, as somebody has set them. */
export type ViewRights = readonly Right[];

/** Lists views, columns of views and functions of the schema `$1` with the rights that somebody has set. */
const TARGETS_SQL = `
  select format('%I.%I', n.nspname, c.relname) as target, null as column_name, c.relacl as acl
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = $1::text and c.relkind = 'v'
  union all
  select format('%I.%I', n.nspname, c.relname), quote_ident(a.attname), a.attacl
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where n.nspname = $1::text and c.relkind = 'v'
  union all
  select format('function %I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), null, p.proacl
    from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
    where n.nspname = $1::text`;

const RIGHTS_SQL = `
  select t.target, t.column_name as column,
    case when r.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(r.grantee)) end as grantee,
    r.privilege_type as privilege, r.is_grantable
  from (${TARGETS_SQL}) as t cross join lateral aclexplode(t.acl) as r`;

/** Reads the rights on all views and functions of a schema. */
export async function readRights(tx: Queryable, schema: string): Promise<ViewRights> {
  const { rows } = await tx.query(RIGHTS_SQL, [schema]);
  return rows as unknown as ViewRights;
}

/**
 * Gives back the rights that views and functions had before they were made again. Rights of what is there no
 * more, or has no such column, are left out. What nobody had set stays as PostgreSQL sets it.
 */
export async function restoreRights(tx: Queryable, schema: string, before: ViewRights): Promise<void> {
  const targets = new Set(before.map(({ target }) => target));
  const now = (await readRights(tx, schema)).filter(({ target }) => targets.has(target));
  const there = await readTargets(tx, schema);
  const statements = [
    ...[...targets]
      .filter((target) => there.has(target))
      .map((target) => `revoke all on ${target} from public`),
    ...now.map((right) => `revoke ${what(right)} on ${right.target} from ${right.grantee}`),
    ...before
      .filter(({ target, column }) => there.has(column === null ? target : `${target}.${column}`))
      .map(
        (right) =>
          `grant ${what(right)} on ${right.target} to ${right.grantee}${right.is_grantable ? ' with grant option' : ''}`,
      ),
  ];
  if (statements.length > 0) await tx.query(statements.join('; '));
}

function what({ privilege, column }: Right): string {
  return column === null ? privilege : `${privilege} (${column})`;
}

async function readTargets(tx: Queryable, schema: string): Promise<Set<string>> {
  const { rows } = await tx.query(
    `select concat_ws('.', target, column_name) as target from (${TARGETS_SQL}) as t`,
    [schema],
  );
  return new Set(rows.map(({ target }) => target as string));
}
