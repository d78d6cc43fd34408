import type { Config } from '../../config/config-schema.ts';
import { ensureAlarmTables } from '../../load/alarms/alarm-tables.ts';
import { ensureTables } from '../../load/rows/ensure-tables.ts';
import type { StoreKinds } from '../../load/stores/store-kind.ts';
import type { Database } from '../../postgres/connect.ts';
import { streams } from '../../streams/index.ts';
import { streamsOf } from '../../sync/selection/history-streams.ts';
import { settingsOf } from '../../sync/stream-settings.ts';

/**
 * Makes the tables of all streams, also of those that are switched off, and the tables of alarms and points
 * that the configuration needs.
 */
export async function makeTables(db: Database, config: Config, kinds: StoreKinds): Promise<void> {
  const { schema } = config.postgres;
  for (const stream of streams) await ensureTables(db, schema, stream, settingsOf(config, stream));
  await ensureAlarmTables(db, schema);
  const history = config.runtime.flatMap((selection) => streamsOf(selection.history).map(({ name }) => name));
  const store = await kinds.postgres.open(config, db);
  await store.prepare(history);
}
