import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import type { PointStore } from '../../../src/load/stores/store.ts';
import type { GivenPoint } from '../../../src/simulator/signals/stored.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { listGaps } from '../../../src/sync/status/list-gaps.ts';
import { type VerifyReport, verifyHistory } from '../../../src/sync/verify/verify-history.ts';
import type { SeriesDifferences } from '../../../src/sync/verify/verify-report.ts';
import { askInflux } from '../../support/influx/ask-influx.ts';
import { countsOf } from '../../support/models/verify-support.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';

const MINUTE_MS = 60_000;
const nowMs = Date.UTC(2026, 2, 1, 12);
const atMs = (minutesAgo: number) => nowMs - minutesAgo * MINUTE_MS;
const range = { from: atMs(600) * 1000, to: nowMs * 1000 };

const only = (objects: string, properties: string) => ({
  objects,
  properties,
  current: false,
  history: { start: new Date(atMs(600)).toISOString() },
});

const names = ['temp', 'note', 'odd'] as const;

/** Yields values of all kinds: numbers, texts, and values that InfluxDB cannot hold. */
function* points(name: (typeof names)[number]): Generator<GivenPoint> {
  for (let k = 1; k < 600; k += 1) {
    const at = atMs(600 - k) + 0.25;
    if (name === 'temp') yield [at, k / 7];
    else if (name === 'note') yield [at, `line ${k}\n"quoted" \\ ␛ ü`];
    else yield [at, [null, 'NaN', 9007199254740993n, 'ON', -0][k % 5]] as GivenPoint;
  }
}

/** Number of points of `odd` that are null or NaN. */
const nowhereInInflux = [...points('odd')].filter(([, value]) => value === null || value === 'NaN').length;

/** Opens a plant with one pump of odd names and values, filled into Postgres and InfluxDB. */
async function openFilledPlant(filled = range): Promise<SimulatedPlant> {
  const plant = await openSimulatedPlant(
    { size: { objects: 0, persons: 0 }, nowMs: () => nowMs },
    ({ influx }) => ({
      platform: { retries: 0 },
      influx,
      runtime: names.map((name) => only(`pump 1,=\\`, name)),
    }),
  );
  plant.simulator.addObject({
    name: `pump 1,=\\`,
    properties: names.map((name) => ({
      name,
      primitiveType: name === 'note' ? 'String' : 'Double',
      points: points(name),
    })),
  });
  const filling = await fillHistory(plant.ctx, { mode: 'backfill', ...filled });
  expect(filling).toMatchObject({ status: 'done' });
  return plant;
}

const byProperty = ({ series }: SeriesDifferences) => series.split('.').at(-1);

const seriesId = (property: string) => `(select series_id from plant.series where property = '${property}')`;

const influxQuery = (plant: SimulatedPlant, statement: string) =>
  askInflux(plant.databases.sections.influx, '/query', { q: statement });

/** Writes one line of the odd pump to InfluxDB. */
const influxLine = (plant: SimulatedPlant, property: string, [fields, ms]: [string, number]) =>
  askInflux(plant.databases.sections.influx, '/write', {
    // Without a precision times are nanoseconds, in each version.
    body: `runtime,object=pump\\ 1\\,\\=␛5C,property=${property} ${fields} ${BigInt(ms * 1000)}000`,
  });

describe('verification', () => {
  it('finds nothing where nothing differs, whatever the values and names are', async () => {
    const plant = await openFilledPlant();
    const report = await verifyHistory(plant.ctx, range);
    expect(report.summary).toMatchObject({ status: 'done', problems: [] });
    expect(report).toMatchObject({ series: 3, unreadable: [], gaps: [] });
    expect(report.stores.map(({ kind, points, differences }) => ({ kind, points, differences }))).toEqual([
      { kind: 'postgres', points: 3 * 599, differences: [] },
      { kind: 'influx', points: 3 * 599 - nowhereInInflux, differences: [] },
    ]);
  });

  it('finds what was lost, added and changed in each store, and repairs it; then nothing differs', async () => {
    const plant = await openFilledPlant();
    const { db } = plant.databases;
    const at = (minutesAgo: number) => `'${new Date(atMs(minutesAgo)).toISOString()}'::timestamptz`;
    await db.query(
      `delete from plant.samples where series_id = ${seriesId('temp')} and at between ${at(100)} and ${at(90)}`,
    );
    await db.query(
      `insert into plant.samples (series_id, at, value) select ${seriesId('note')}, ${at(50)} + n * interval '7 s', n from generate_series(1, 30) as n`,
    );
    await db.query(
      `update plant.samples set value = value + 1 where series_id = ${seriesId('temp')} and at > ${at(4)}`,
    );
    await influxQuery(plant, `delete from runtime where property = 'temp' and time < ${atMs(500)}ms`);
    await influxLine(plant, 'temp', ['value=7', atMs(33) + 0.5]);
    await influxLine(plant, 'temp', ['value=7', atMs(33) + 0.75]);
    await influxLine(plant, 'note', ['text="other"', atMs(33) + 0.25]);
    // InfluxDB holds a number next to the text. Writing the text again would leave the number.
    await influxLine(plant, 'note', ['value=3', atMs(31) + 0.25]);
    // InfluxDB has no place for NaN, so this point is too much there.
    await influxLine(plant, 'odd', ['value=3', atMs(600 - 1) + 0.25]);
    const damaged = {
      'postgres temp': [10, 0, 4],
      'postgres note': [0, 30, 0],
      'influx temp': [99, 2, 0],
      'influx note': [0, 0, 2],
      'influx odd': [0, 1, 0],
    };
    const found = await verifyHistory(plant.ctx, range);
    expect(countsOf(found, byProperty)).toEqual(damaged);
    expect(found.summary).toMatchObject({
      status: 'partial',
      problems: [/^postgres: 10 missing, 30 extra, 4 different points/, /^influx/].map((pattern) =>
        expect.stringMatching(pattern),
      ),
    });
    expect(
      found.stores[1]?.differences.find(({ series }) => series.endsWith('note'))?.different.first,
    ).toEqual([(atMs(33) + 0.25) * 1000, (atMs(31) + 0.25) * 1000]);

    // The ledger keeps them with the run, by series.
    const kept = ({ summary: { differences = [] } }: VerifyReport) =>
      differences.map(({ missing, extra, different, isRepaired }) => [missing, extra, different, isRepaired]);
    const counts = Object.values(damaged).sort();
    expect(kept(found).sort()).toEqual(counts.map((each) => [...each, false]));
    const repairing = await verifyHistory(plant.ctx, { ...range, repair: true });
    expect(countsOf(repairing, byProperty)).toEqual(damaged);
    expect(kept(repairing).sort()).toEqual(counts.map((each) => [...each, true]));
    const after = await verifyHistory(plant.ctx, range);
    expect(countsOf(after, byProperty)).toEqual({});
    expect(after.summary.status).toBe('done');
    const { gaps } = await listGaps(plant.ctx);
    expect(
      gaps.filter(({ series }) => series !== 'alarms'),
      'everything is covered again',
    ).toEqual([]);
    const polluted = await plant.databases.influxPoints('pump 1,=\\.note');
    expect(polluted.values.every((value) => value === null)).toBe(true);
  });

  it('removes a point that the platform no longer has, and never one that came in the meantime', async () => {
    const plant = await openFilledPlant();
    await plant.databases.db.query(
      `insert into plant.samples (series_id, at, value) values (${seriesId('temp')}, to_timestamp(${atMs(55) / 1000 + 30}), -5)`,
    );
    const late = [atMs(56) + 30_000, 99] as const;
    const postgres = plant.ctx.stores[0] as PointStore;
    // After the read of the platform and before the read of the store, a late point comes. Another process
    // stores this point.
    let came = false;
    const store: PointStore = {
      ...postgres,
      async *read(stretch) {
        const isThere = stretch.range.from <= late[0] * 1000 && stretch.range.to > late[0] * 1000;
        if (isThere && !came) {
          came = true;
          plant.simulator.addPoints('pump 1,=\\.temp', [late]);
          await plant.databases.db.query(
            `insert into plant.samples (series_id, at, value) values (${seriesId('temp')}, to_timestamp(${late[0] / 1000}), 99)`,
          );
        }
        yield* postgres.read(stretch);
      },
    };
    const report = await verifyHistory({ ...plant.ctx, stores: [store] }, { ...range, repair: true });
    expect(came).toBe(true);
    expect(countsOf(report, byProperty)).toEqual({ 'postgres temp': [0, 1, 0] });
    expect(await plant.databases.rows('select value from plant.samples where value in (-5, 99)')).toEqual([
      99,
    ]);
  });

  it('removes nothing from a window that another filling reads just now', async () => {
    const plant = await openFilledPlant();
    const { db } = plant.databases;
    const extra = `insert into plant.samples (series_id, at, value) values (${seriesId('temp')}, to_timestamp(${atMs(55) / 1000 + 30}), -5)`;
    await db.query(extra);
    const [id] = (await plant.databases.rows(`select ${seriesId('temp')}`)) as number[];
    const other = plant.ctx.ledger.claims.begin();
    await other.take({
      stream: 'history',
      seriesIds: [id ?? 0],
      range: { from: atMs(60) * 1000, to: atMs(50) * 1000 },
      stores: plant.ctx.stores.map((each) => each.id),
    });
    const report = await verifyHistory(plant.ctx, { ...range, repair: true });
    expect(countsOf(report, byProperty)).toEqual({ 'postgres temp': [0, 1, 0] });
    expect(report.stores[0]?.kept).toMatch(/repair once more/);
    expect(report.summary.differences).toMatchObject([{ extra: 1, isRepaired: false }]);
    expect(await plant.databases.rows('select value from plant.samples where value = -5')).toEqual([-5]);
    await other.end();
    await verifyHistory(plant.ctx, { ...range, repair: true });
    expect(await plant.databases.rows('select value from plant.samples where value = -5')).toEqual([]);
  });

  it('compares only what is called stored, and tells the rest as a gap', async () => {
    const plant = await openFilledPlant({ from: range.from, to: atMs(300) * 1000 });
    const report = await verifyHistory(plant.ctx, range);
    expect(countsOf(report, byProperty)).toEqual({});
    expect(report.stores[0]?.points).toBe(3 * 299);
    expect(report.gaps).toHaveLength(2 * 3);
  });

  it('calls a stretch unreadable that the platform does not return, and never equal', async () => {
    const plant = await openFilledPlant();
    plant.simulator.setFaults([{ kind: 'status', status: 500, operation: 'readHistory', match: 'odd' }]);
    const report = await verifyHistory(plant.ctx, range);
    expect(countsOf(report, byProperty)).toEqual({});
    expect(report.stores[0]?.points).toBe(2 * 599);
    expect(report.unreadable).toEqual([expect.stringMatching(/\.odd from .* cannot be read/)]);
    expect(report.summary.status).toBe('partial');
  });

  it('says which store could not be compared, and compares the other', async () => {
    const plant = await openFilledPlant();
    const [postgres, influx] = plant.ctx.stores as [PointStore, PointStore];
    const away: PointStore = {
      ...influx,
      // biome-ignore lint/correctness/useYield: it fails before the first point
      async *read() {
        throw new StoreError('influx.unreachable', 'InfluxDB is away', { action: 'retry' });
      },
    };
    await plant.databases.db.query(`delete from plant.samples where series_id = ${seriesId('note')}`);
    const report = await verifyHistory({ ...plant.ctx, stores: [postgres, away] }, range);
    expect(countsOf(report, byProperty)).toEqual({ 'postgres note': [599, 0, 0] });
    expect(report.stores[1]?.failure).toMatch('InfluxDB is away');
    expect(report.summary.status).toBe('partial');
  });
});
