import type { Database } from './connect.ts';
import type { Queryable } from './queryable.ts';

/** What PostgreSQL says about a role, and about the database and the schemas that it is to use. */
export interface RoleFacts {
  /** False if there is no such role. All that follows is then about nobody. */
  readonly exists: boolean;
  readonly isSuperuser: boolean;
  /** The role owns tables of the schemas, or is a member of a role that does. */
  readonly isOwner: boolean;
  readonly mayConnect: boolean;
  readonly mayUseTemporary: boolean;
  /** The schemas that exist. */
  readonly schemas: readonly string[];
  /** The roles that own the schemas, or tables, views and functions in them. */
  readonly owners: readonly string[];
  /** The connected user may act as all of these owners. */
  readonly mayActAsOwners: boolean;
  /** The connected user may grant rights on the database. */
  readonly mayGrantDatabase: boolean;
  /** The connected user may revoke rights on schema `public`. */
  readonly mayRevokePublic: boolean;
  /** Everybody may make temporary tables. */
  readonly everybodyUsesTemporary: boolean;
  /** Everybody may make tables in schema `public`. */
  readonly everybodyCreates: boolean;
  /** The roles that write to the ledger, and so need temporary tables. */
  readonly writers: readonly string[];
}

const FACTS_SQL = `
  with asked as (select r.oid, r.rolname, r.rolsuper from pg_roles as r where r.rolname = $1),
  places as (select n.oid, n.nspname, n.nspowner from pg_namespace as n where n.nspname = any($2)),
  owners as (
    select nspowner as owner from places
    union select relowner from pg_class where relnamespace in (select oid from places) and relkind in ('r', 'p', 'v', 'm')
    union select proowner from pg_proc where pronamespace in (select oid from places)),
  here as (select d.oid, d.datdba, coalesce(d.datacl, acldefault('d', d.datdba)) as acl
             from pg_database as d where d.datname = current_database()),
  open_place as (select n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl
                   from pg_namespace as n where n.nspname = 'public')
  select
    exists (select from asked) as "exists",
    coalesce((select rolsuper from asked), false) as "isSuperuser",
    exists (select from asked, owners where pg_has_role(asked.oid, owner, 'usage')) as "isOwner",
    coalesce((select has_database_privilege(asked.oid, here.oid, 'connect') from asked, here), false) as "mayConnect",
    coalesce((select has_database_privilege(asked.oid, here.oid, 'temporary') from asked, here), false)
      as "mayUseTemporary",
    array(select nspname::text from places order by array_position($2, nspname::text)) as schemas,
    array(select pg_get_userbyid(owner)::text from owners order by 1) as owners,
    coalesce((select bool_and(pg_has_role(owner, 'usage')) from owners), true) as "mayActAsOwners",
    (select pg_has_role(datdba, 'usage') from here) as "mayGrantDatabase",
    coalesce((select pg_has_role(nspowner, 'usage') from open_place), false) as "mayRevokePublic",
    exists (select from here, aclexplode(here.acl) as a where a.grantee = 0 and a.privilege_type = 'TEMPORARY')
      as "everybodyUsesTemporary",
    exists (select from open_place, aclexplode(open_place.acl) as a where a.grantee = 0 and a.privilege_type = 'CREATE')
      as "everybodyCreates",
    array(select r.rolname::text from pg_roles as r
            where not r.rolsuper and r.rolname !~ '^pg_'
              and has_table_privilege(r.oid, to_regclass($3), 'insert') order by 1) as writers`;

/**
 * Reads what PostgreSQL says about a role. `schemas` are the schemas that the role is to use. `ledgerTable`
 * is the quoted name of a table to which every writer may write.
 */
export async function readRoleFacts(
  db: Queryable,
  role: string,
  { schemas, ledgerTable }: { readonly schemas: readonly string[]; readonly ledgerTable: string },
): Promise<RoleFacts> {
  const { rows } = await db.query(FACTS_SQL, [role, schemas, ledgerTable]);
  return rows[0] as unknown as RoleFacts;
}

/** Lists the names of all roles. */
export async function listRoles(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(`select rolname::text as name from pg_roles order by 1`);
  return rows.map(({ name }) => name);
}

const SURPLUS_SQL = `
  with asked as (select oid from pg_roles where rolname = $1),
  places as (select oid, nspname from pg_namespace where nspname = any($2))
  select 'may make temporary tables' as what from asked
    where has_database_privilege(asked.oid, current_database(), 'temporary')
  union all
  select format('may use schema %I', nspname) from asked, pg_namespace
    where nspname = $3 and has_schema_privilege(asked.oid, pg_namespace.oid, 'usage')
  union all
  select format('may make tables in schema %I', nspname) from asked, pg_namespace
    where nspname !~ '^pg_' and has_schema_privilege(asked.oid, pg_namespace.oid, 'create')
  union all
  select format('may write to %s of schema %I', case when count(*) = 1 then min(quote_ident(relname)) else count(*) || ' tables' end, nspname)
    from asked, places, pg_class as c
    where c.relnamespace = places.oid and c.relkind in ('r', 'p', 'v') and not c.relispartition
      and has_table_privilege(asked.oid, c.oid, 'insert, update, delete, truncate')
    group by nspname`;

/**
 * Lists what a role may do besides reading the schemas, as the rest of a sentence: "may make temporary
 * tables". The list is empty for a role that only reads.
 */
export async function listSurplusRights(
  db: Queryable,
  role: string,
  { schemas, ledger }: { readonly schemas: readonly string[]; readonly ledger: string },
): Promise<string[]> {
  const { rows } = await db.query(SURPLUS_SQL, [role, schemas, ledger]);
  return rows.map(({ what }) => String(what));
}
