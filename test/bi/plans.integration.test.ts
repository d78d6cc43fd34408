import { expect, test } from 'vitest';
import { useMadePlant } from './made-plant.ts';

const openPlant = useMadePlant();

/** From this cost on PostgreSQL compiles a query, which takes longer than to run a query of these views. */
const COMPILED_FROM = 100_000;

/** This month and the one before. Each of their tables is filled: one of few rows is cheapest read whole. */
const months = `generate_series(date_trunc('month', now()) - interval '1 month', now(), interval '1 month') as month`;

const one = `object = 'pump3' and property = 'temp'`;
const questions = [
  `select * from bi.states('pump3', 'temp', now() - interval '7 d', now())`,
  `select * from bi.state_intervals where ${one} and from_at > now() - interval '7 d'`,
  `select * from bi.state_intervals where ${one}`,
  `select * from bi.limit_violations where ${one} and from_at > now() - interval '7 d'`,
  `select * from bi.limit_violations where object = 'pump3'`,
  `select * from bi.counter_daily where ${one} and day > current_date - 7`,
  `select * from bi.counter_daily where ${one}`,
];

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Total Cost': number;
  readonly Plans?: readonly PlanNode[];
}

/** Lists the tables of points that a plan reads from end to end. */
function scannedTables(node: PlanNode): string[] {
  const own = node['Node Type'].endsWith('Seq Scan') ? [node['Relation Name'] ?? ''] : [];
  const below = (node.Plans ?? []).flatMap(scannedTables);
  return [...own, ...below].filter((name) => name.startsWith('samples_y'));
}

test('questions about one property read its points by index, and are too cheap to be compiled', async () => {
  const { db, run } = await openPlant();
  await run(
    `insert into plant.series (object, property, primitive_type)
       select 'pump' || n, 'temp', 'Double' from generate_series(1, 100) as n;
     insert into plant.property_notes (object, property, low, high) values ('*', 'temp', 1, 9);
     select plant.make_month('samples', month) from ${months};
     insert into plant.samples (series_id, at, value)
       select series_id, month + n * interval '20 min', n % 10
       from plant.series, ${months}, generate_series(0, 1999) as n;
     insert into plantsync.coverage
       select 'postgres:plant', 'history', series_id, tstzmultirange(tstzrange(now() - interval '40 d', now()))
       from plant.series;
     analyze`,
  );
  for (const question of questions) {
    const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (format json) ${question}`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan as PlanNode;
    const { rows: filled } = await db.query(
      `select distinct tableoid::regclass::text as name from plant.samples`,
    );
    const names = new Set(filled.map(({ name }) => String(name).split('.').at(-1)));
    expect(
      scannedTables(plan).filter((name) => names.has(name)),
      question,
    ).toEqual([]);
    expect(plan['Total Cost'], question).toBeLessThan(COMPILED_FROM);
  }
});
