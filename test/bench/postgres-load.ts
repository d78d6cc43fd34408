import { ensureTables } from '../../src/load/rows/ensure-tables.ts';
import { loadRows } from '../../src/load/rows/load-rows.ts';
import { targetsOf } from '../../src/load/rows/row-targets.ts';
import { createPostgresStore } from '../../src/load/stores/postgres/create-store.ts';
import type { PointStore } from '../../src/load/stores/store.ts';
import type { Database } from '../../src/postgres/connect.ts';
import type { SeriesPoints } from '../../src/series/types.ts';
import { defineStream, type Row } from '../../src/streams/define.ts';
import { timed, withBenchDatabase } from './bench-database.ts';

const schema = 'bench_data';
const batches = 20;
const seriesPerBatch = 100;
const pointsPerSeries = 500;
const points = batches * seriesPerBatch * pointsPerSeries;

/** Makes one batch of the measurement: a point of every series each minute, from the start of the batch. */
function makeBatch(batch: number, offset: number): SeriesPoints[] {
  const start = (1_700_000_000 + batch * pointsPerSeries * 60) * 1_000_000;
  const times = Array.from({ length: pointsPerSeries }, (_, i) => start + i * 60_000_000);
  const nulls = times.map(() => null);
  return Array.from({ length: seriesPerBatch }, (_, id) => ({
    series: { id, object: 'o', property: 'p', primitiveType: 'Double' },
    times,
    values: times.map((_, i) => offset + Math.sin(id + i) * 100),
    texts: nulls,
    qualities: nulls,
  }));
}

async function writeAll(store: PointStore, offset: number, fresh: boolean): Promise<void> {
  for (let batch = 0; batch < batches; batch += 1) {
    const series = makeBatch(batch, offset);
    await store.write({ stream: 'history', range: { from: 0, to: 1 }, series, fresh }, async () => undefined);
  }
}

async function measurePoints(db: Database): Promise<void> {
  const store = createPostgresStore({ db, schema });
  await store.prepare();
  await timed('points made, not written', points, async () => {
    for (let batch = 0; batch < batches; batch += 1) makeBatch(batch, 0);
  });
  await timed('samples, fresh', points, () => writeAll(store, 0, true));
  await timed('samples, merged and equal', points, () => writeAll(store, 0, false));
  await timed('samples, merged and different', points, () => writeAll(store, 1, false));
  await timed('samples, believed fresh but there', points, () => writeAll(store, 1, true));
}

const stream = defineStream({
  name: 'object_properties',
  about: 'Rows of a measurement.',
  operation: 'listObjectProperties',
  key: ['object', 'name'],
  columns: (['object', 'name', 'show_name', 'description', 'labels'] as const).map((name) => ({
    name,
    type: name === 'labels' ? 'jsonb' : 'text',
    source: name,
    meaning: 'A column.',
    example: 'a',
  })),
});

async function measureRows(db: Database): Promise<void> {
  const schemas = { data: schema, ledger: schema, bi: 'bi' };
  await ensureTables(db, schema, stream, { keepRaw: false });
  await db.query(`create table ${schema}.changes (table_name text, key jsonb, kind text, before jsonb)`);
  const { main: target } = targetsOf(stream, { keepRaw: false, filter: null });
  const count = 100_000;
  const chunk = 5000;
  const makeRow = (i: number, text: string): Row => [
    `object ${i % 1000}`,
    `p${i}`,
    text,
    `The property ${i}`,
    ['a', 'b'],
    null,
  ];
  const loadAll = async (text: string) => {
    for (let at = 0; at < count; at += chunk)
      await loadRows(db, schemas, [
        { target, rows: Array.from({ length: chunk }, (_, i) => makeRow(at + i, text)) },
      ]);
  };
  await timed('rows, new', count, () => loadAll('one'));
  await timed('rows, unchanged', count, () => loadAll('one'));
  await timed('rows, changed', count, () => loadAll('two'));
}

/** Prints how fast points and rows are loaded into Postgres. */
await withBenchDatabase(async (db) => {
  await db.query(`drop schema if exists ${schema} cascade`);
  await measurePoints(db);
  await measureRows(db);
  await db.query(`drop schema ${schema} cascade`);
});
