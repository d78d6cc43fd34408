import { DatabaseError, type PoolClient } from 'pg';
import { StoreError } from '../errors.ts';
import { quoteName } from '../postgres/names.ts';
import { sqlState } from '../postgres/postgres-errors.ts';
import type { BiNames, BiView } from './bi-view.ts';
import type { MadeView } from './made-views.ts';
import { quoteView, renderView } from './render-view.ts';
import { readRights, restoreRights } from './view-rights.ts';

/** A change of the views of a schema. */
export interface ViewChange {
  /** The schema, not quoted. */
  readonly schema: string;
  readonly names: BiNames;
  /** The views as they must be, in order of dependence. */
  readonly views: readonly BiView[];
  /** The views that were made last. */
  readonly made: readonly MadeView[];
}

/**
 * SQLSTATEs of a view or function that cannot be replaced: a column or an argument has gone, or has another
 * name or type.
 */
const NOT_REPLACEABLE = /^(42P16|42P13)/;
const DEPENDENTS = '2BP01';

/**
 * Makes the views in an open transaction: replaces them where that is possible, else drops all of them and
 * makes them again with their rights. Throws a `StoreError` if something that others made is in the way.
 * Then the transaction must be rolled back, and nothing has changed.
 */
export async function makeViews(tx: PoolClient, change: ViewChange): Promise<void> {
  await refuseForeign(tx, change);
  if (!keepsAll(change) || !(await replaceViews(tx, change))) await remakeViews(tx, change);
}

/** Tells whether every view that was made last is still wanted, and every function with its arguments. */
function keepsAll({ views, made }: ViewChange): boolean {
  return made.every(({ name, takes }) => views.some((view) => view.name === name && view.takes === takes));
}

async function replaceViews(tx: PoolClient, { views, names }: ViewChange): Promise<boolean> {
  await tx.query('savepoint replacing');
  try {
    for (const view of views) await tx.query(renderView(view, names));
  } catch (error) {
    if (!NOT_REPLACEABLE.test(sqlState(error) ?? '')) throw error;
    await tx.query('rollback to savepoint replacing');
    return false;
  }
  await tx.query('release savepoint replacing');
  return true;
}

async function remakeViews(tx: PoolClient, change: ViewChange): Promise<void> {
  const { schema, names, views } = change;
  const rights = await readRights(tx, schema);
  await dropViews(tx, change);
  for (const view of views) await tx.query(renderView(view, names));
  await restoreRights(tx, schema, rights);
}

/** Drops what was made last. One statement drops all views, so their order does not matter. */
async function dropViews(tx: PoolClient, { schema, names, made }: ViewChange): Promise<void> {
  const there = await readKinds(tx, schema);
  const views = made.filter(({ name, takes }) => takes === undefined && there.views.has(name));
  const functions = made.filter(({ name, takes }) => takes !== undefined && there.functions.has(name));
  const drops = [
    ...(views.length > 0 ? [`drop view ${views.map((view) => quoteView(view, names)).join(', ')}`] : []),
    ...functions.map((view) => `drop function if exists ${quoteView(view, names)}(${view.takes})`),
  ];
  try {
    for (const drop of drops) await tx.query(drop);
  } catch (error) {
    if (sqlState(error) !== DEPENDENTS) throw error;
    const dependents = error instanceof DatabaseError ? error.detail : undefined;
    throw new StoreError(
      'postgres.views_in_use',
      `the views in schema ${schema} stay as they were, because others depend on them and their columns change: ` +
        `${dependents?.replaceAll('\n', ', ')}. Drop what depends on them, run \`plantsync migrate\`, and make it again`,
      { action: 'stop', cause: error },
    );
  }
}

/** Refuses to replace what plantsync did not make. */
async function refuseForeign(tx: PoolClient, { schema, views, made }: ViewChange): Promise<void> {
  const there = await readKinds(tx, schema);
  const isOurs = (view: BiView) =>
    made.some(({ name, takes }) => name === view.name && !takes === !view.takes);
  const foreign = views.filter(
    (view) =>
      (there.relations.has(view.name) && !(there.views.has(view.name) && isOurs(view))) ||
      (view.takes !== undefined && there.functions.has(view.name) && !isOurs(view)),
  );
  if (foreign.length === 0) return;
  throw new StoreError(
    'postgres.views_not_ours',
    `schema ${schema} holds what plantsync did not make: ${foreign.map(({ name }) => name).join(', ')}. ` +
      'Set postgres.biSchema to a schema that nobody uses, or drop these',
    { action: 'stop' },
  );
}

interface Kinds {
  readonly relations: ReadonlySet<string>;
  readonly views: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

/** Reads the names of the relations, views and functions of a schema. */
async function readKinds(tx: PoolClient, schema: string): Promise<Kinds> {
  const { rows } = await tx.query<{ name: string; kind: string }>(
    `select relname as name, case relkind when 'v' then 'view' else 'other' end as kind
       from pg_class where relnamespace = to_regnamespace($1)
     union all
     select proname, 'function' from pg_proc where pronamespace = to_regnamespace($1)`,
    [quoteName(schema)],
  );
  const pick = (...kinds: string[]) =>
    new Set(rows.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name));
  return { relations: pick('view', 'other'), views: pick('view'), functions: pick('function') };
}
