import { describe, expect, it } from 'vitest';
import type { PointStore } from '../../../src/load/stores/store.ts';
import { rawHistory } from '../../../src/series/history-stream.ts';
import type { Series } from '../../../src/series/types.ts';
import { readChart } from '../../../src/sync/explore/chart-series.ts';
import { findSeries } from '../../../src/sync/explore/find-series.ts';
import { describeQueries, readCurrent, readRawPage } from '../../../src/sync/explore/read-values.ts';
import { syncStreams } from '../../../src/sync/once/sync-streams.ts';
import { askInflux } from '../../support/influx/ask-influx.ts';
import { seriesPoints, type TestPoint } from '../../support/influx/influx-points.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';

const t0 = Date.UTC(2024, 4, 1) * 1000;
const minute = 60e6;
const range = { from: t0, to: t0 + 100 * minute };
const awkward = { object: `泵 'a' "b" \\c, d=e`, property: "p\\'q\nr" };

/** Opens a plant with Postgres and InfluxDB as stores of history. */
function openPlant(): Promise<SimulatedPlant> {
  return openSimulatedPlant({ size: 'tiny' }, ({ influx }) => ({ influx }));
}

/** Writes points of a series into each store, and calls the range stored apart from the gaps. */
async function store(
  { ctx }: SimulatedPlant,
  item: Omit<Series, 'id'>,
  { points, gaps = [] }: { points: readonly TestPoint[]; gaps?: readonly { from: number; to: number }[] },
): Promise<Series> {
  const [series] = await ctx.ledger.series.register([item]);
  if (series === undefined) throw new Error('the series is registered');
  for (const each of ctx.stores) {
    const change = { store: each.id, stream: 'history', seriesIds: [series.id] };
    const batch = { stream: 'history', range, series: [seriesPoints(series, points)], fresh: true };
    await each.write(batch, (tx) => ctx.ledger.coverage.add({ ...change, range }, tx));
    for (const gap of gaps) await ctx.ledger.coverage.remove({ ...change, range: gap });
  }
  return series;
}

describe('the explorer', () => {
  it('tells what is missing from what no selection asks for, and where the newest point is', async () => {
    const { ctx } = await openSimulatedPlant({ size: 'tiny' }, () => ({
      runtime: [{ history: { start: '2h' } }],
    }));
    await syncStreams(ctx, ['objects', 'object_properties', 'history']);
    const [series] = (await ctx.catalog.select())[0]?.series ?? [];
    const [store] = ctx.stores;
    if (series === undefined || store === undefined) throw new Error('the selection has series');
    const now = ctx.clock();
    const hour = 60 * minute;
    const lost = { from: now - hour, to: now - hour / 2 };
    await ctx.ledger.coverage.remove({
      ...{ store: store.id, stream: 'history', seriesIds: [series.id], range: lost },
    });
    const question = { store, stream: rawHistory, series, columns: 100 };
    const { gaps, unwanted } = await readChart(ctx, {
      ...{ ...question, range: { from: now - 5 * hour, to: now } },
    });
    expect(gaps).toEqual([lost]);
    expect(unwanted).toEqual([{ from: now - 5 * hour, to: expect.any(Number) }]);
    expect(Math.abs((unwanted[0]?.to ?? 0) - (now - 2 * hour))).toBeLessThan(10 * minute);
    const later = { from: now + hour, to: now + 2 * hour };
    const { newest } = await readChart(ctx, { ...question, range: later });
    expect(newest).toBeLessThanOrEqual(now);
    expect(newest).toBeGreaterThan(now - hour);
  });

  it('draws few points as they are and many with their extremes, and no line crosses a gap', async () => {
    const plant = await openPlant();
    const values = Array.from({ length: 100 }, (_, k): TestPoint => [t0 + k * minute, k === 50 ? 1e6 : k]);
    const gap = { from: t0 + 20 * minute, to: t0 + 30 * minute };
    const points = values.filter(([at]) => at < gap.from || at >= gap.to);
    const series = await store(
      plant,
      { object: 'pump', property: 'temp', primitiveType: 'Double' },
      {
        points,
        gaps: [gap],
      },
    );
    expect(plant.ctx.stores.map(({ kind }) => kind)).toEqual(['postgres', 'influx']);
    for (const each of plant.ctx.stores) {
      const question = { store: each, stream: rawHistory, series, range };
      const whole = await readChart(plant.ctx, { ...question, columns: 100 });
      expect(whole).toMatchObject({ kind: 'numbers', isReduced: false, points: 90, gaps: [gap] });
      expect(whole.line).toEqual([...points.slice(0, 20), [gap.from, null], ...points.slice(20)]);

      const reduced = await readChart(plant.ctx, { ...question, columns: 10 });
      expect(reduced).toMatchObject({ isReduced: true, points: 90, gaps: [gap] });
      const drawn = reduced.line.map(([, value]) => value);
      expect(Math.max(...drawn.map((value) => value ?? 0))).toBe(1e6);
      expect(drawn.slice(0, 9)).toEqual([0, 0, 9, 9, 10, 10, 19, 19, null]);
      expect(reduced.line.filter(([at]) => at > gap.from && at < gap.to)).toEqual([]);
    }
  });

  it('draws states as ranges of time that end at gaps, and says where they change too often', async () => {
    const plant = await openPlant();
    const texts = Array.from({ length: 100 }, (_, k): TestPoint => {
      const text = k >= 40 && k < 50 ? `s${k % 2}` : k < 60 ? 'on' : 'off';
      return [t0 + k * minute, text];
    });
    const gap = { from: t0 + 80 * minute, to: t0 + 90 * minute };
    const points = texts.filter(([at]) => at < gap.from || at >= gap.to);
    const series = await store(
      plant,
      { object: 'pump', property: 'state', primitiveType: 'String' },
      {
        points,
        gaps: [gap],
      },
    );
    const truth = points.map(([at, text]): TestPoint => [at, text === 'on' ? 1 : 0]);
    const running = await store(
      plant,
      { object: 'pump', property: 'on', primitiveType: 'Boolean' },
      {
        points: truth,
      },
    );
    const at = (k: number) => t0 + k * minute;
    for (const each of plant.ctx.stores) {
      const question = { store: each, stream: rawHistory, range };
      const reduced = await readChart(plant.ctx, { ...question, series, columns: 10 });
      expect(reduced).toMatchObject({ kind: 'states', isReduced: true, points: 90 });
      expect(reduced.states).toEqual([
        { from: at(0), to: at(40), state: 'on' },
        { from: at(40), to: at(50), state: undefined },
        { from: at(50), to: at(60), state: 'on' },
        { from: at(60), to: at(80), state: 'off' },
        { from: at(90), to: at(100), state: 'off' },
      ]);
      const later = { from: at(5) + 1, to: at(40) };
      const held = await readChart(plant.ctx, {
        ...{ ...question, series, columns: 100 },
        range: { from: at(95) + 1, to: at(96) - 1 },
      });
      expect(held.states).toEqual([{ from: at(95) + 1, to: at(96) - 1, state: 'off' }]);
      const cut = await readChart(plant.ctx, {
        ...{ ...question, series, columns: 100 },
        range: { from: at(85), to: at(90) + 1 },
      });
      expect(cut.states).toEqual([{ from: at(90), to: at(90) + 1, state: 'off' }]);
      const joined = await readChart(plant.ctx, { ...question, series, columns: 100, range: later });
      expect(joined.states).toEqual([{ ...later, state: 'on' }]);
      for (const columns of [10, 1_000]) {
        const { states } = await readChart(plant.ctx, { ...question, series: running, columns });
        expect(states).toEqual([
          { from: at(0), to: at(40), state: 'true' },
          { from: at(40), to: at(50), state: 'false' },
          { from: at(50), to: at(60), state: 'true' },
          { from: at(60), to: at(100), state: 'false' },
        ]);
      }
    }
  });

  it('writes statements that return the same points when somebody runs them', async () => {
    const plant = await openPlant();
    const points: TestPoint[] = [
      [t0, 1.5],
      [t0 + 1, 'a "b" \\c'],
      [t0 + 99 * minute + 999_999, -2],
    ];
    const before: TestPoint = [t0 - 1, 9];
    const after: TestPoint = [range.to, 9];
    const item = { ...awkward, primitiveType: 'Double' };
    const series = await store(plant, item, { points: [before, ...points, after] });
    const second = await store(plant, { ...item, object: 'other' }, { points: [[t0, 7]] });
    const queries = describeQueries(plant.ctx.stores, {
      stream: rawHistory,
      series: [series, second],
      range,
    });
    expect(queries.map(({ language, store }) => [language, store])).toEqual([
      ['sql', 'postgres:plant'],
      ['influxql', plant.ctx.stores[1]?.id],
    ]);
    const { rows } = await plant.databases.db.query(queries[0]?.text ?? '');
    const expected = points.map(([at, value]) => [at, value]);
    expect(rows.filter(({ object }) => object === awkward.object)).toEqual(
      points.map(([at, value]) => ({
        ...{ ...awkward, at, quality: null },
        ...{
          value: typeof value === 'number' ? value : null,
          text: typeof value === 'string' ? value : null,
        },
      })),
    );
    expect(rows.filter(({ object }) => object === 'other')).toHaveLength(1);

    const q = queries[1]?.text ?? '';
    const reply = await askInflux(plant.databases.sections.influx, '/query', { epoch: 'u', q });
    const { results } = JSON.parse(reply) as {
      results: { series: { tags: { object: string }; values: [number, number | null, string | null][] }[] }[];
    };
    const own = results[0]?.series.find(({ tags }) => tags.object !== 'other');
    expect(own?.values.map(([at, value, text]) => [at, value ?? text])).toEqual(expected);
    expect(results[0]?.series).toHaveLength(2);
  });

  it('lists raw points page by page from either end, with every digit', async () => {
    const plant = await openPlant();
    const points = Array.from({ length: 25 }, (_, k): TestPoint => [t0 + k, k]);
    const series = await store(plant, { object: 'o', property: 'p', primitiveType: 'Int64' }, { points });
    const [postgres] = plant.ctx.stores;
    const large = {
      ...{ series, times: [t0 + 25], values: [2 ** 53] },
      ...{ texts: ['9007199254740993'], qualities: [null] },
    };
    await postgres?.write({ stream: 'history', range, series: [large], fresh: false }, async () => undefined);
    const list = async (order: 'oldest first' | 'newest first') => {
      const seen: (string | undefined)[] = [];
      for (let next: typeof range | undefined = range; next !== undefined; ) {
        const question = { stream: rawHistory, series, range: next, order, limit: 10 };
        const page = await readRawPage(postgres as PointStore, question);
        seen.push(...page.items.map(({ value }) => value?.text));
        next = page.next;
      }
      return seen;
    };
    const all = [...points.map(([, value]) => String(value)), '9007199254740993'];
    expect(await list('oldest first')).toEqual(all);
    expect(await list('newest first')).toEqual(all.toReversed());
  });
});

describe('the search of a plant that was read', () => {
  it('finds its properties with what is read of them, and their newest values', async () => {
    const plant = await openPlant();
    const { ctx } = plant;
    expect((await findSeries(ctx, '', 10)).total).toBe(0);
    await syncStreams(ctx, ['objects', 'object_properties', 'current']);
    const { items, total } = await findSeries(ctx, '', 1_000);
    const { rows } = await ctx.db.query(
      `select p.object, p.property, o.show_name from plant.object_properties as p
       join plant.objects as o on o.name = p.object where p.deleted_at is null`,
    );
    expect(total).toBe(rows.length);
    expect(new Set(items.map(({ object, property }) => `${object}\n${property}`))).toEqual(
      new Set(rows.map(({ object, property }) => `${object}\n${property}`)),
    );
    const live = items.find(({ current, primitiveType }) => current && primitiveType === 'Double');
    expect(live).toMatchObject({ history: true, objectShowName: expect.any(String) });
    const [series] = await ctx.ledger.series.find(live === undefined ? [] : [live]);
    const newest = await readCurrent(ctx, series as Series);
    expect(newest).toMatchObject({ value: { kind: 'number', text: expect.stringMatching(/^-?\d/) } });
  });
});
