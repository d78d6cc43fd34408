import { describe, expect, it } from 'vitest';
import { intersect, toRangeSet, widthOf } from '../../../src/series/range.ts';
import { type Range, seriesName } from '../../../src/series/types.ts';
import type { SyncContext } from '../../../src/sync/context.ts';
import { listMapGaps, type MapGap } from '../../../src/sync/coverage-map/list-map-gaps.ts';
import type { Grouping } from '../../../src/sync/coverage-map/map-filter.ts';
import { listParts, openPlace, wantedOf } from '../../../src/sync/coverage-map/map-parts.ts';
import { type MapRow, readCoverageMap } from '../../../src/sync/coverage-map/read-coverage-map.ts';
import { listGaps, type SeriesGaps } from '../../../src/sync/status/list-gaps.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';

const SEC = 1e6;
const HOUR = 3600 * SEC;
const DAY = 24 * HOUR;
const now = Date.UTC(2026, 2, 1, 12, 10, 30) * 1000 + 123_456;

const objects = ['fan1', 'fan2', 'pump1', 'pump2', 'pump10'];
const mean = { period: '5m', functions: ['mean'] };
const streams = ['history', 'history/300s/mean'];

/** A plant with three selections that begin at different times, in two stores, one of which forgets. */
async function openPlant(): Promise<SimulatedPlant> {
  const plant = await openSimulatedPlant(
    { size: { objects: 0, persons: 0 }, nowMs: () => now / 1000 },
    ({ influx, postgres }) => ({
      influx,
      postgres: { ...postgres, keepSamples: '20d' },
      runtime: [
        { objects: 'pump1', history: { start: '3d' } },
        { objects: 'fan*', history: { start: '40d', aggregate: mean } },
        { objects: '*', history: { start: '7m', aggregate: mean } },
      ],
    }),
  );
  await plant.ctx.catalog.select();
  await plant.databases.db.query(
    `insert into plant.object_properties (object, property, primitive_type, persisted)
     select o, p, 'Double', true from unnest($1::text[]) o, unnest('{flow,temp}'::text[]) p`,
    [objects],
  );
  await plant.databases.db.query(
    `insert into plant.objects (name, show_name, template_name)
     select o, upper(o), rtrim(o, '0123456789') from unnest($1::text[]) o`,
    [objects],
  );
  plant.ctx.catalog.expire();
  return plant;
}

/** A generator of numbers below a limit, the same at each run. */
function numbersFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/** Covers random ranges of all series. Many of them end a few seconds or minutes before now. */
async function coverAtRandom(ctx: SyncContext, seed: number): Promise<void> {
  const below = numbersFrom(seed);
  const ids = (await ctx.catalog.select()).flatMap(({ series }) => series.map(({ id }) => id));
  for (const { id: store } of ctx.stores)
    for (const stream of streams)
      for (const id of ids) {
        const change = { store, stream, seriesIds: below(4) === 0 ? ids : [id] };
        const head = now - below(1200) * SEC;
        await ctx.ledger.coverage.add({ ...change, range: { from: head - below(45) * DAY - SEC, to: head } });
        for (let k = below(4); k > 0; k -= 1) {
          const from = now - below(40 * 86_400) * SEC - below(1e6);
          await ctx.ledger.coverage.remove({ ...change, range: { from, to: from + 1 + below(2 * DAY) } });
        }
      }
}

interface Expected {
  /** Microseconds of each cell, added up over the series. */
  readonly wanted: number[];
  readonly missing: number[];
}

const views: readonly (Range & { columns: number })[] = [
  { from: now - 45 * DAY, to: now + DAY, columns: 50 },
  { from: now - 3650 * DAY, to: now, columns: 7 },
  { from: now - 2 * DAY, to: now - DAY, columns: 33 },
  { from: now - 700 * SEC, to: now, columns: 10 },
  { from: now - 300 * SEC, to: now + 60 * SEC, columns: 1 },
  { from: now - 1000 * SEC, to: now - 80 * SEC, columns: 9 },
  { from: now - 50 * DAY, to: now - 49 * DAY, columns: 4 },
];

describe('the coverage map', () => {
  let plant: SimulatedPlant;
  let ctx: SyncContext;
  let gaps: SeriesGaps[] | undefined;

  async function open(seed: number): Promise<void> {
    gaps = undefined;
    plant = await openPlant();
    ctx = { ...plant.ctx, clock: () => now };
    await coverAtRandom(ctx, seed);
  }

  /** Works out from the list of gaps what the rows must say. */
  async function expectedOf(place: { store: string; stream: string }, range: Range, columns: number) {
    gaps ??= (await listGaps(ctx)).gaps;
    const opened = openPlace(ctx, place);
    const cells = Array.from({ length: columns }, (_, k) => {
      const width = (range.to - range.from) / columns;
      return { from: range.from + k * width, to: range.from + (k + 1) * width };
    });
    const rows = new Map<string, Expected>();
    const parts = listParts(ctx, place.stream, await ctx.catalog.select());
    for (const part of parts)
      for (const each of part.series) {
        const wanted = wantedOf(ctx, opened, part);
        const own = (gaps ?? []).filter(
          ({ series, ...at }) =>
            series === seriesName(each) && at.store === place.store && at.stream === opened.ledgerName,
        );
        const missing = toRangeSet(own.flatMap(({ ranges }) => [...ranges]));
        const within = (set: typeof missing) => cells.map((cell) => widthOf(intersect(set, [cell])));
        rows.set(seriesName(each), { wanted: within(wanted), missing: within(missing) });
      }
    return rows;
  }

  const namesOf: Record<Grouping, (series: string) => string> = {
    none: (series) => series,
    object: (series) => series.split('.')[0] ?? '',
    template: (series) => series.replace(/\d.*/, ''),
    selection: (series) =>
      /^pump1\./.test(series) ? 'pump1/*' : series.startsWith('fan') ? 'fan*/*' : '*/*',
    all: () => '',
  };

  function compare(row: MapRow, expected: readonly Expected[]): void {
    const add = (part: keyof Expected, k: number) =>
      expected.reduce((sum, each) => sum + (each[part][k] ?? 0), 0);
    const missing = row.cells.map((_, k) => add('missing', k));
    expect(row.series).toBe(expected.length);
    expect(row.missingSec).toBeCloseTo(missing.reduce((a, b) => a + b, 0) / SEC, 5);
    for (const [k, share] of row.cells.entries()) {
      const wanted = add('wanted', k);
      if (wanted === 0) expect(share).toBeUndefined();
      else if (missing[k] === 0) expect(share).toBe(1);
      else if (missing[k] === wanted) expect(share).toBe(0);
      else {
        expect(share).toBeGreaterThan(0);
        expect(share).toBeLessThan(1);
        expect(Math.abs((share ?? 0) - (1 - (missing[k] ?? 0) / wanted))).toBeLessThan(1.001e-4);
      }
    }
  }

  it('agrees with the list of gaps, for random coverage, in every view and grouping', async () => {
    for (const seed of [7, 1234]) {
      await open(seed);
      for (const { id: store } of ctx.stores)
        for (const stream of streams)
          for (const view of views) {
            const place = { store, stream };
            for (const groupBy of ['none', 'object', 'template', 'selection', 'all'] as const) {
              const map = await readCoverageMap(ctx, {
                ...{ ...place, ...view, groupBy, order: 'name', offset: 0, limit: 100 },
              });
              const expected = await expectedOf(place, map.range, view.columns);
              const names = [...expected.keys()].map((series) => [namesOf[groupBy](series), series] as const);
              expect(map.total).toBe(new Set(names.map(([name]) => name)).size);
              expect(map.rows).toHaveLength(map.total);
              for (const row of map.rows)
                compare(
                  row,
                  names
                    .filter(([name]) => name === row.name)
                    .map(([, series]) => expected.get(series) as Expected),
                );
            }
          }
    }
  });

  it('lists the exact gaps that touch a range, and what fills them', async () => {
    await open(99);
    const [store] = ctx.stores.map(({ id }) => id);
    const place = { store: store as string, stream: 'history' };
    const view = { from: now - 19 * DAY, to: now - 2 * DAY };
    const { gaps: listed } = await listGaps(ctx);
    const touching = listed
      .filter((each) => each.store === store && each.stream === 'history' && each.series.startsWith('fan'))
      .flatMap(({ ranges }) => ranges.filter(({ from, to }) => to > view.from && from < view.to));
    const found = await listMapGaps(ctx, { ...place, ...view, template: 'fan', limit: 500 });
    const withoutFill = ({ fill: _, ...gap }: MapGap) => gap;
    const times = (range: Range) => `${range.from} ${range.to}`;
    expect(touching.length).toBeGreaterThan(3);
    expect(
      found.gaps.flatMap(({ range, series }) => Array.from({ length: series }, () => times(range))).sort(),
    ).toEqual(touching.map(times).sort());
    expect(found).toMatchObject({ series: 4, more: false, fill: { objects: '{fan1,fan2}' } });
    expect(found.gaps.every(({ first }) => first.object.startsWith('fan'))).toBe(true);
    const weights = found.gaps.map(({ range, series }) => series * (range.to - range.from));
    expect(weights).toEqual([...weights].sort((a, b) => b - a));
    const cut = await listMapGaps(ctx, { ...place, ...view, objects: 'fan*', limit: 1 });
    expect(cut.gaps.map(withoutFill)).toEqual(found.gaps.slice(0, 1).map(withoutFill));
    expect(cut).toMatchObject({ more: true, fill: { objects: 'fan*' } });
    const filtered = await listMapGaps(ctx, { ...place, ...view, selection: 'fan*/*', limit: 500 });
    expect(filtered.gaps.map(withoutFill)).toEqual(found.gaps.map(withoutFill));
    expect(filtered.fill).toEqual({ objects: 'fan*', properties: '*' });
  });

  it('puts the rows that lack most first, in pages, and names what selects each', async () => {
    await open(5);
    const [, store] = ctx.stores.map(({ id }) => id);
    const question = {
      store: store as string,
      stream: 'history',
      from: now - 45 * DAY,
      to: now,
      columns: 20,
    };
    const asked = { ...question, groupBy: 'none', order: 'missing' } as const;
    const { rows } = await readCoverageMap(ctx, { ...asked, offset: 0, limit: 100 });
    const missing = rows.map(({ missingSec }) => missingSec);
    expect(rows).toHaveLength(10);
    expect(missing).toEqual([...missing].sort((a, b) => b - a));
    const pages = [];
    for (const offset of [0, 4, 8])
      pages.push(...(await readCoverageMap(ctx, { ...asked, offset, limit: 4 })).rows);
    expect(pages).toEqual(rows);
    for (const { filter, ...row } of rows) {
      const alone = await readCoverageMap(ctx, {
        ...question,
        ...filter,
        groupBy: 'all',
        order: 'name',
        offset: 0,
        limit: 1,
      });
      expect(alone.rows[0]?.cells).toEqual(row.cells);
      expect(row.title).toBe(row.name.split('.')[0]?.toUpperCase());
    }
    const byName = await readCoverageMap(ctx, { ...asked, order: 'name', offset: 0, limit: 100 });
    expect(byName.rows.map(({ name }) => name).slice(4)).toEqual(
      ['pump1', 'pump2', 'pump10'].flatMap((object) => [`${object}.flow`, `${object}.temp`]),
    );
  });

  it('shows what is stored outside the wanted range apart from it', async () => {
    plant = await openPlant();
    ctx = { ...plant.ctx, clock: () => now };
    const [store] = ctx.stores.map(({ id }) => id) as [string];
    const ids = (await ctx.catalog.select({ objects: 'pump1' })).flatMap(({ series }) =>
      series.map(({ id }) => id),
    );
    const range = { from: now - 6 * DAY, to: now - 4 * DAY };
    await ctx.ledger.coverage.add({ store, stream: 'history', seriesIds: ids.slice(0, 1), range });
    const view = { from: now - 8 * DAY, to: now, columns: 4 };
    const { rows } = await readCoverageMap(ctx, {
      ...{
        store,
        stream: 'history',
        ...view,
        objects: 'pump1',
        groupBy: 'object',
        order: 'name',
        offset: 0,
        limit: 9,
      },
    });
    const [row] = rows;
    expect(row?.cells.map((cell) => cell === undefined)).toEqual([true, true, false, false]);
    expect(row?.cells.slice(2)).toEqual([0, 0]);
    expect(row?.kept).toEqual([0, 0.5, 0, 0]);
  });

  it('says which streams and stores there are if asked for others', async () => {
    plant = await openPlant();
    const question = {
      from: now - DAY,
      to: now,
      columns: 4,
      groupBy: 'all',
      order: 'name',
      offset: 0,
      limit: 9,
    } as const;
    const [store] = plant.ctx.stores.map(({ id }) => id) as [string];
    await expect(readCoverageMap(plant.ctx, { ...question, store, stream: 'histroy' })).rejects.toThrow(
      'did you mean history?',
    );
    await expect(readCoverageMap(plant.ctx, { ...question, store: 'x', stream: 'history' })).rejects.toThrow(
      `known are ${store}`,
    );
  });
});
