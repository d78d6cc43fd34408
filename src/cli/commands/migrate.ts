import { type CommonOptions, type Io, print } from '../io.ts';
import { makeTables } from '../open/make-tables.ts';
import { ensureViews } from '../open/open-views.ts';
import { openSessionDatabase, withSession } from '../open/session.ts';

/**
 * Runs `plantsync migrate`: brings the ledger up to date, as every other command does before it begins. It
 * also makes all tables that the configuration needs, and the views for BI tools. So a role that owns none of
 * them can do everything else.
 */
export async function migrate(io: Io, options: CommonOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const { db, schemas, migration, address } = await openSessionDatabase(io, session);
    const { config, kinds } = session;
    await makeTables(db, config, kinds);
    const indexed = await (await kinds.postgres.open(config, db)).indexMonths();
    const views = await ensureViews(config, { db, schemas, kinds });
    print(io, options, {
      json: { database: address, ...migration, indexed, ...(views && { views }) },
      lines: () => [
        ...migration.applied.map((name) => `applied ${name}`),
        `the ledger in ${address} is at version ${migration.version}, and all tables are there`,
        ...(indexed > 0 ? [`made the index by time on ${indexed} months of points`] : []),
        ...(views ? [`the views in schema ${schemas.bi} are ${views}`] : []),
      ],
    });
    return 0;
  });
}
