import { ensureAlarmTables } from '../../load/alarms/alarm-tables.ts';
import { ensureTables } from '../../load/rows/ensure-tables.ts';
import type { Database } from '../../postgres/connect.ts';
import { streams } from '../../streams/index.ts';
import { streamsOf } from '../../sync/selection/history-streams.ts';
import { settingsOf } from '../../sync/stream-settings.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { openSessionDatabase, type Session, withSession } from '../open/session.ts';

/**
 * Runs `plantsync migrate`: brings the ledger up to date, as every other command does before it begins. It
 * also makes all tables that the configuration needs, so that a role that owns none of them can do everything
 * else.
 */
export async function migrate(io: Io, options: CommonOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const { db, migration, address } = await openSessionDatabase(io, session);
    await makeTables(db, session);
    print(io, options, {
      json: { database: address, ...migration },
      lines: () => [
        ...migration.applied.map((name) => `applied ${name}`),
        `the ledger in ${address} is at version ${migration.version}, and all tables are there`,
      ],
    });
    return 0;
  });
}

async function makeTables(db: Database, { config, kinds }: Session): Promise<void> {
  const { schema } = config.postgres;
  for (const stream of streams) await ensureTables(db, schema, stream, settingsOf(config, stream));
  await ensureAlarmTables(db, schema);
  const history = config.runtime.flatMap((selection) => streamsOf(selection.history).map(({ name }) => name));
  const store = await kinds.postgres.open(config, db);
  await store.prepare(history);
}
