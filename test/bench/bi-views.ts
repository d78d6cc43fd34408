import { ensureBi } from '../../src/bi/ensure-bi.ts';
import { makeTables } from '../../src/cli/open/make-tables.ts';
import { loadConfig } from '../../src/config/load.ts';
import { migrate } from '../../src/ledger/run-migrations.ts';
import { STORE_KINDS } from '../../src/load/stores/store-kinds.ts';
import type { Database } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { timed, withBenchDatabase } from './bench-database.ts';

/**
 * Prints what the views of series and trees take with many series and months. Each of 1,000 objects has 100
 * properties. The newest points of the series lie in different months.
 */
const OBJECTS = 1_000;
const PROPERTIES = 100;
const MONTHS = 12;

const FILL = [
  `insert into plant.objects (name, show_name, template_name)
   select 'o' || o, 'Object ' || o, 'T' || o % 20 from generate_series(1, ${OBJECTS}) as o`,
  `insert into plant.object_properties (object, property, show_name, primitive_type)
   select 'o' || o, 'p' || p, 'Property ' || p, 'Double'
   from generate_series(1, ${OBJECTS}) as o, generate_series(1, ${PROPERTIES}) as p`,
  'insert into plant.series (object, property, primitive_type) select object, property, primitive_type from plant.object_properties',
  `select plant.make_month('samples', timestamptz '2026-01-01' + m * interval '1 month') from generate_series(0, ${MONTHS - 1}) as m`,
  `insert into plant.samples (series_id, at, value)
   select series_id, timestamptz '2026-01-15' + m * interval '1 month', m from plant.series, generate_series(0, ${MONTHS - 1}) as m
   where m <= series_id % ${MONTHS}`,
  `insert into plant.current_values (series_id, at, value, changed_at) select series_id, '2026-01-01', 0, now() from plant.series where series_id % 2 = 0`,
  `insert into plant.network_nodes (network, path, name, depth)
   select 'n', case when o <= 10 then 'o' || o else 'o' || o % 10 + 1 || '/o' || o end, 'o' || o, case when o <= 10 then 1 else 2 end
   from generate_series(1, ${OBJECTS}) as o`,
  `insert into plant.org_trees (name) values ('works')`,
  `insert into plant.org_nodes (org, name, path, depth)
   select 'works', 'd' || d, 'works' || case when d > 10 then '/d' || d % 10 + 1 else '' end || '/d' || d, case when d > 10 then 2 else 1 end
   from generate_series(1, ${OBJECTS}) as d`,
  `insert into plantsync.coverage (store, stream, series_id, covered)
   select 'postgres:plant', 'history', series_id, '{[2026-01-01,2026-06-01),[2026-07-01,2026-10-01)}' from plant.series`,
  'analyze',
];

const QUESTIONS: Readonly<Record<string, string>> = {
  'the newest value of all series': 'select count(at) from bi.latest',
  'the newest values of a template': `select * from bi.latest where template_name = 'T7'`,
  'the newest values of an object': `select * from bi.latest where object = 'o77'`,
  'series without a point since June': `select object, property, at from bi.latest where at is null or at < '2026-06-01'`,
  'all tags with their labels': 'select * from bi.tags',
  'all nodes below a node': `select node from bi.org_closure where ancestor = 'd3'`,
  'all objects below a place': `select object from bi.object_tree where ancestor = 'o3'`,
  'the calendar': 'select * from bi.calendar',
  'completeness of an object by day, for a month': `select * from bi.completeness('2026-05-15', '2026-06-15', '1 day') where object = 'o77'`,
  'completeness of all series of a day': `select avg(share) from bi.completeness('2026-05-15', '2026-05-16', '1 day')`,
};

async function fill(db: Database): Promise<void> {
  await migrate(db, defaultSchemas);
  const platform = { baseUrl: 'http://127.0.0.1:1', appId: 'bench', secret: 'bench' };
  const config = await loadConfig({ env: {}, overrides: { platform } as never });
  const options = { schemas: defaultSchemas, zone: 'Europe/Berlin', program: '0.0.0' };
  await ensureBi(db, { ...options, makeTables: () => makeTables(db, config, STORE_KINDS) });
  for (const statement of FILL) await db.query(statement);
}

await withBenchDatabase(async (db) => {
  await fill(db);
  for (const [question, sql] of Object.entries(QUESTIONS)) {
    await db.query(sql);
    await timed(question, 1, () => db.query(sql));
  }
});
