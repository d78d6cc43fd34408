import { hash } from 'node:crypto';
import { escapeLiteral, type PoolClient } from 'pg';
import { StoreError } from '../errors.ts';
import type { Database } from '../postgres/connect.ts';
import { quoteName } from '../postgres/names.ts';
import { changeSchema, ensureSchema, hasSchema } from '../postgres/schema-change.ts';
import type { Schemas } from '../postgres/schemas.ts';
import type { BiNames, BiView } from './bi-view.ts';
import { type MadeViews, noteMade, readMade } from './made-views.ts';
import { makeViews } from './make-views.ts';
import { biViews } from './views/all.ts';

export interface BiOptions {
  readonly schemas: Schemas;
  /** The plant's time zone. */
  readonly zone: string;
  /** Version of the running program, such as `0.2.0`. */
  readonly program: string;
  /** Makes every table that a view may read, whatever the configuration reads of the platform. */
  makeTables(): Promise<void>;
}

/** What became of the views. Those "left to the owner" wait for `plantsync migrate` by the tables' owner. */
export type BiOutcome = 'made' | 'up to date' | 'kept by a newer program' | 'left to the owner';

/**
 * Brings the views for BI tools up to date, all in one transaction or none. Several processes may call this
 * function at once. Views that are up to date are only looked at, so that no right to make any is needed. A
 * user who does not own the tables leaves views as they are. Throws a `StoreError` if such a user finds none,
 * and if something of other people is in the way.
 */
export async function ensureBi(
  db: Database,
  options: BiOptions,
  views: readonly BiView[] = biViews,
): Promise<BiOutcome> {
  const { schemas, program } = options;
  const names = namesOf(options);
  const wanted = { digest: digestOf(views, names), program, views };
  const made = await readMade(db, schemas);
  const settled = settle(made, wanted);
  if (settled !== undefined) return settled;
  if (!made.isOwner) {
    if (made.areWhole) return 'left to the owner';
    throw new StoreError(
      'postgres.no_rights',
      `the views in schema ${schemas.bi} are missing, and user ${db.user} does not own the tables that they read: ` +
        'run `plantsync migrate` as the owner of the tables, or set `bi: off`',
      { action: 'stop' },
    );
  }
  await options.makeTables();
  return changeSchema(db, `making the views in schema ${schemas.bi}`, async (tx) => {
    // Another process may have made them before this one got the lock.
    const found = await readMade(tx, schemas);
    const late = settle(found, wanted);
    if (late !== undefined) return late;
    // The server may not know a zone that the program knows. Then every query of a view would fail.
    await tx.query('select now() at time zone $1', [options.zone]);
    await prepareSchema(tx, schemas.bi);
    await makeViews(tx, { schema: schemas.bi, names, views, made: found.views });
    await noteMade(tx, schemas, wanted);
    return 'made';
  });
}

function namesOf({ schemas, zone }: BiOptions): BiNames {
  return {
    bi: quoteName(schemas.bi),
    data: quoteName(schemas.data),
    ledger: quoteName(schemas.ledger),
    zone: escapeLiteral(zone),
  };
}

/** Makes a digest of everything that decides what the views are. */
function digestOf(views: readonly BiView[], names: BiNames): string {
  const definitions = views.map((view) => ({ ...view, sql: view.sql(names) }));
  return hash('sha256', JSON.stringify([names, definitions]), 'hex');
}

/** Returns what became of the views if nothing has to be done. Returns undefined if they must be made. */
function settle(
  made: MadeViews,
  wanted: { readonly digest: string; readonly program: string },
): BiOutcome | undefined {
  if (!made.areWhole || made.digest === undefined) return undefined;
  if (made.digest === wanted.digest) return 'up to date';
  return isNewer(made.program ?? '', wanted.program) ? 'kept by a newer program' : undefined;
}

/** Returns true if a version is newer than another one, such as 0.10.0 than 0.9.1. */
function isNewer(version: string, than: string): boolean {
  const parts = (text: string) => text.split(/[.-]/, 3).map((part) => Number.parseInt(part, 10) || 0);
  const others = parts(than);
  for (const [k, part] of parts(version).entries())
    if (part !== (others[k] ?? 0)) return part > (others[k] ?? 0);
  return false;
}

/** Makes the schema if it is missing. One that exists may belong to somebody else, who let us use it. */
async function prepareSchema(tx: PoolClient, schema: string): Promise<void> {
  if (await hasSchema(tx, schema)) return;
  await ensureSchema(tx, schema);
  const comment =
    'Views for BI tools and dashboards. plantsync makes them again when they change: keep views of your own elsewhere.';
  await tx.query(`comment on schema ${quoteName(schema)} is '${comment}'`);
}
