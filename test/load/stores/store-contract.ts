import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { MissingDatabaseError } from '../../../src/load/stores/missing-database.ts';
import type { PointBatch, PointStore, RefusedPoints } from '../../../src/load/stores/store.ts';
import type { ConfiguredStore } from '../../../src/load/stores/store-kind.ts';
import { silentLog } from '../../../src/log.ts';
import type { Series, SeriesPoints } from '../../../src/series/types.ts';
import type { PlacedAlarmEvent } from '../../../src/streams/alarm-row.ts';
import { secondsFrom, seriesPoints, type TestPoint } from '../../support/influx/influx-points.ts';

/** A destination of its own for the tests of one store, empty. */
export interface StoreSubject {
  /** Opens the destination; the tests close what they open. */
  open(): Promise<PointStore>;
  /** Opens the same kind of store where nothing answers. */
  openAway(): Promise<PointStore>;
  /** The polls that are stored of a series, ascending in time. */
  readPolls(series: Series): Promise<TestPoint[]>;
  /** Points of which the store refuses the first for good and takes the others; absent where it takes all. */
  readonly partlyRefused?: SeriesPoints;
  /** What a store other than Postgres has in addition. */
  readonly apart?: ApartSubject;
  close(): Promise<void>;
}

/** What is tested of a store that the configuration asks for other than Postgres. */
export interface ApartSubject {
  readonly configured: ConfiguredStore;
  /** The same kind where nothing answers. */
  readonly away: ConfiguredStore;
  /** How many events of alarms are stored. */
  countEvents(): Promise<number>;
  /** Drops the database, or the folder, behind the store's back. */
  dropPlace(): Promise<void>;
}

export type Apart = StoreSubject & { readonly apart: ApartSubject };
type MakeApart = () => Promise<Apart>;

const t0 = Date.UTC(2024, 0, 1) * 1_000;
const second = 1_000_000;
const always = { from: t0 - 1e15, to: t0 + 1e15 };
const nothing = async () => undefined;

let lastId = 0;
/** A series that no other test has. */
function newSeries(names: Partial<Series> = {}): Series {
  lastId += 1;
  return { id: lastId, object: `o ${lastId}`, property: 'p', primitiveType: 'Double', ...names };
}

function batchOf(series: readonly SeriesPoints[], more: Partial<PointBatch> = {}): PointBatch {
  return { stream: 'history', range: { from: t0, to: t0 + 3_600 * second }, series, fresh: false, ...more };
}

/** What is stored of a series, and in how many parts it came. */
async function read(store: PointStore, series: Series, more: Partial<PointBatch> = {}) {
  const points: TestPoint[] = [];
  let parts = 0;
  const { stream = 'history', range = always } = more;
  for await (const part of store.read({ stream, series: [series], range })) {
    expect(part.series.id).toBe(series.id);
    points.push(...entriesOf(part));
    parts += 1;
  }
  return { points, parts };
}

const pointsIn = async (store: PointStore, series: Series, more: Partial<PointBatch> = {}) =>
  (await read(store, series, more)).points;

function entriesOf({ times, values, texts }: SeriesPoints): TestPoint[] {
  return times.map((time, k) => [time, values[k] ?? texts[k] ?? null]);
}

/** Writes as the stories do: what a point would keep of its former form goes first. */
async function writeCleared(store: PointStore, batch: PointBatch): Promise<void> {
  const removals = (await store.surplus?.(batch)) ?? [];
  if (removals.length > 0) await store.remove?.(batch.stream, removals, nothing);
  await store.write(batch, nothing);
}

/**
 * Tests the promises of `PointStore` for one kind of store. Acknowledged points are there, once, whatever is
 * repeated. Refused points are named. A failure says whether to try again.
 */
export function testStoreContract(title: string, makeSubject: () => Promise<StoreSubject>): void {
  describe(`${title} as a store`, () => {
    let subject: StoreSubject;
    let store: PointStore;
    beforeAll(async () => {
      subject = await makeSubject();
      store = await subject.open();
      await store.prepare();
    });
    afterAll(async () => {
      await store?.close();
      await subject?.close();
    });
    const contract = { subject: () => subject, store: () => store };
    testWrites(contract);
    testRefusals(contract);
    testReads(contract);
    testPages(contract);
    testRemovals(contract);
    testPolls(contract);
    testOutage(contract);
  });
}

interface Contract {
  subject(): StoreSubject;
  store(): PointStore;
}

function testWrites({ subject, store }: Contract): void {
  it('holds each point once and as it came last, whatever is written again', async () => {
    const at = fc.integer({ min: 0, max: 9 });
    const value = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom('on', 'a "b" \\ c, d=e', 'ü\n'));
    const write = fc.record({
      series: fc.uniqueArray(fc.nat(2), { minLength: 1 }),
      points: fc.uniqueArray(fc.tuple(at, value), { selector: ([when]) => when, maxLength: 6 }),
      fresh: fc.boolean(),
      times: fc.integer({ min: 1, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 6 }), async (writes) => {
        const all = [newSeries({ object: "a b,c='d" }), newSeries(), newSeries()].map((series) => ({
          ...series,
          property: `p${series.id}`,
        }));
        const wanted = all.map(() => new Map<number, number | string>());
        for (const { series, points, fresh, times } of writes) {
          const entries = points.map(([k, v]): [number, number | string] => [t0 + k * second, v]);
          entries.sort(([a], [b]) => a - b);
          const written = series.map((k) => seriesPoints(all[k] as Series, entries));
          for (let k = 0; k < times; k += 1) await writeCleared(store(), batchOf(written, { fresh }));
          for (const k of series) for (const [when, v] of entries) wanted[k]?.set(when, v);
        }
        for (const [k, series] of all.entries()) {
          const expected = [...(wanted[k] ?? [])].sort(([a], [b]) => a - b);
          expect(await pointsIn(store(), series)).toEqual(expected);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('commits once, when the points are there; those of a commit that fails can be written again', async () => {
    const series = newSeries();
    const batch = batchOf([seriesPoints(series, secondsFrom(t0, 3))], { fresh: true });
    const second = await subject().open();
    let seen: TestPoint[] | undefined;
    const failing = store().write(batch, async (tx) => {
      // In a transaction the points and what belongs to them appear together, or not at all.
      if (tx === undefined) seen = await pointsIn(second, series);
      throw new Error('the ledger is away');
    });
    await expect(failing).rejects.toThrow('the ledger is away');
    expect(await pointsIn(second, series)).toEqual(seen ?? []);
    if (seen !== undefined) expect(seen).toHaveLength(3);
    let commits = 0;
    const { written, refused } = await store().write(batch, async () => void commits++);
    expect({ commits, written, refused }).toEqual({ commits: 1, written: 3, refused: [] });
    expect(await pointsIn(second, series)).toHaveLength(3);
    await second.close();
  });

  it('commits a window without points, which is stored as well', async () => {
    let commits = 0;
    const batch = batchOf([seriesPoints(newSeries(), [])]);
    expect(await store().write(batch, async () => void commits++)).toMatchObject({ written: 0, skipped: 0 });
    expect(commits).toBe(1);
  });

  it('takes the same points from several writers at once', async () => {
    const series = [newSeries(), newSeries(), newSeries()];
    const all = series.map((each) => seriesPoints(each, secondsFrom(t0, 200)));
    const others = await Promise.all([subject().open(), subject().open()]);
    await Promise.all(
      [store(), ...others].map((each, k) =>
        each.write(batchOf(k % 2 === 0 ? all : all.toReversed(), { fresh: k < 2 }), nothing),
      ),
    );
    for (const each of series) expect(await pointsIn(store(), each)).toEqual(secondsFrom(t0, 200));
    for (const each of others) await each.close();
  });

  it('keeps points and empties nothing when it is prepared again', async () => {
    const series = newSeries();
    await store().write(batchOf([seriesPoints(series, [[t0, 1]])]), nothing);
    const again = await subject().open();
    expect(await again.prepare()).toBe(false);
    expect(again.id).toBe(store().id);
    expect(await pointsIn(again, series)).toEqual([[t0, 1]]);
    await again.close();
  });
}

function testRefusals({ subject, store }: Contract): void {
  it('counts what it has no place for, and holds the rest, as it says beforehand', async () => {
    const series = newSeries();
    const points = seriesPoints(series, [
      [t0, 1],
      [t0 + 1, null],
      [t0 + 2, 'x'],
    ]);
    const { written, skipped, refused } = await store().write(batchOf([points]), nothing);
    expect(written + skipped).toBe(3);
    expect(refused).toEqual([]);
    const held = await store().held('history', points);
    expect(held.times).toHaveLength(written);
    expect(await pointsIn(store(), series)).toEqual(entriesOf(held));
    expect((await store().held('history', held)).times).toEqual(held.times);
  });

  it('names what it refuses for good, tells the commit, and takes everything else', async () => {
    const { partlyRefused } = subject();
    const good = seriesPoints(newSeries(), secondsFrom(t0, 5));
    const offered = [...(partlyRefused ? [partlyRefused] : []), good];
    let told: readonly RefusedPoints[] = [];
    const result = await store().write(batchOf(offered), async (_, refused) => {
      told = refused;
    });
    expect(await pointsIn(store(), good.series)).toEqual(secondsFrom(t0, 5));
    expect(told).toEqual(result.refused);
    if (partlyRefused === undefined) return expect(result.refused).toEqual([]);
    const [at] = partlyRefused.times;
    expect(result.refused).toEqual([
      {
        seriesId: partlyRefused.series.id,
        range: { from: at, to: (at as number) + 1 },
        count: 1,
        reason: expect.stringMatching(/\w+ \w+/),
        samples: [expect.any(String)],
      },
    ]);
    const rest = entriesOf(partlyRefused).slice(1);
    expect(await pointsIn(store(), partlyRefused.series)).toEqual(rest);
    expect(result).toMatchObject({ written: 5 + rest.length, skipped: 0 });
  });
}

function testReads({ store }: Contract): void {
  it('reads just the series and the half-open range that are asked for, in parts that ascend', async () => {
    const [series, other] = [newSeries(), newSeries()];
    const many = secondsFrom(t0, 12_000);
    await store().write(batchOf([seriesPoints(series, many), seriesPoints(other, many)]), nothing);
    const range = { from: t0 + second, to: t0 + 11_001 * second };
    const { points, parts } = await read(store(), series, { range });
    expect(points).toEqual(many.slice(1, 11_001));
    expect(parts).toBeGreaterThan(1);
    expect(await pointsIn(store(), newSeries())).toEqual([]);
  });

  it('keeps history and each of its aggregates apart', async () => {
    const series = newSeries();
    const stream = 'history/300s/mean';
    await store().write(batchOf([seriesPoints(series, [[t0, 1]])]), nothing);
    await store().write(batchOf([seriesPoints(series, [[t0, 2]])], { stream }), nothing);
    expect(await pointsIn(store(), series)).toEqual([[t0, 1]]);
    expect(await pointsIn(store(), series, { stream })).toEqual([[t0, 2]]);
  });
}

function testPages({ store }: Contract): void {
  const page = { stream: 'history', range: always, limit: 4, order: 'oldest first' } as const;

  it('reads pages from either end of a range, one after the other', async () => {
    const [series, other] = [newSeries(), newSeries()];
    const points = secondsFrom(t0, 10);
    await store().write(batchOf([seriesPoints(series, points), seriesPoints(other, points)]), nothing);
    const first = await store().readPage({ ...page, series });
    expect(entriesOf(first)).toEqual(points.slice(0, 4));
    const range = { from: (first.times.at(-1) as number) + 1, to: always.to };
    expect(entriesOf(await store().readPage({ ...page, series, range }))).toEqual(points.slice(4, 8));
    const newest = await store().readPage({ ...page, series, order: 'newest first' });
    expect(entriesOf(newest)).toEqual(points.slice(6).reverse());
    expect((await store().readPage({ ...page, series: newSeries() })).times).toEqual([]);
  });

  it('reduces numbers to buckets that begin with the range, and loses no extreme', async () => {
    const series = newSeries();
    const value = fc.double({ noNaN: true, noDefaultInfinity: true });
    const points = fc.uniqueArray(fc.tuple(fc.nat(400), value), { selector: ([at]) => at, minLength: 1 });
    await fc.assert(
      fc.asyncProperty(points, fc.integer({ min: 1, max: 97 }), fc.nat(60), async (made, step, shift) => {
        const own = { ...series, id: newSeries().id, property: `p${lastId}` };
        const sorted = made.sort(([a], [b]) => a - b).map(([k, v]) => [t0 + k * 333_333, v] as const);
        await store().write(batchOf([seriesPoints(own, sorted)]), nothing);
        const range = { from: t0 + shift * 100_001, to: t0 + 100 * second };
        const stepUs = step * 100_003;
        const buckets = await store().reduceNumbers({ stream: 'history', series: own, range, stepUs });
        const expected = new Map<number, number[]>();
        for (const [at, v] of sorted.filter(([at]) => at >= range.from && at < range.to)) {
          const start = range.from + Math.floor((at - range.from) / stepUs) * stepUs;
          expected.set(start, [...(expected.get(start) ?? []), v + 0]);
        }
        expect(buckets.map((each) => ({ ...each, min: each.min + 0, max: each.max + 0 }))).toEqual(
          [...expected].map(([at, values]) => ({
            at,
            count: values.length,
            first: values[0],
            last: values.at(-1),
            min: Math.min(...values) + 0,
            max: Math.max(...values) + 0,
          })),
        );
      }),
      { numRuns: 10 },
    );
  });

  it('reduces texts to buckets, and counts the different ones', async () => {
    const series = newSeries();
    const texts = ['on', 'on', 'off', '开', '关', 'on'];
    await store().write(
      batchOf([
        seriesPoints(
          series,
          texts.map((text, k) => [t0 + k * second, text]),
        ),
        seriesPoints({ ...series, id: newSeries().id, property: 'number' }, secondsFrom(t0, 6)),
      ]),
      nothing,
    );
    const range = { from: t0, to: t0 + 60 * second };
    const reduction = { stream: 'history', series, range, stepUs: 3 * second };
    expect(await store().reduceTexts(reduction)).toEqual([
      { at: t0, count: 3, distinct: 2, first: 'on', last: 'off' },
      { at: t0 + 3 * second, count: 3, distinct: 3, first: '开', last: 'on' },
    ]);
    expect(await store().reduceNumbers(reduction)).toEqual([]);
  });
}

function testRemovals({ store }: Contract): void {
  it('removes just the ranges of a series, after their coverage is forgotten', async () => {
    const [series, other] = [newSeries(), newSeries()];
    const both = [series, other].map((each) => seriesPoints(each, secondsFrom(t0, 10)));
    await store().write(batchOf(both), nothing);
    const removals = [
      {
        series,
        ranges: [
          { from: t0 + second, to: t0 + 3 * second },
          { from: t0 + 9 * second, to: always.to },
        ],
      },
    ];
    let before = 0;
    await store().remove?.('history', removals, async () => {
      before = (await pointsIn(store(), series)).length;
    });
    expect(before).toBe(10);
    const left = secondsFrom(t0, 10).filter((_, k) => k !== 1 && k !== 2 && k !== 9);
    expect(await pointsIn(store(), series)).toEqual(left);
    expect(await pointsIn(store(), other)).toHaveLength(10);
  });

  it('removes nothing where the coverage cannot be forgotten', async () => {
    const series = newSeries();
    await store().write(batchOf([seriesPoints(series, [[t0, 1]])]), nothing);
    const removing = store().remove?.('history', [{ series, ranges: [always] }], async () => {
      throw new Error('the ledger is away');
    });
    await expect(removing).rejects.toThrow('the ledger is away');
    expect(await pointsIn(store(), series)).toEqual([[t0, 1]]);
  });
}

function testPolls({ subject, store }: Contract): void {
  it('keeps polls apart from history, each once, and does what belongs to them after that', async () => {
    const series = newSeries();
    const polls = [[t0, 1] as const, [t0 + second, 'x'] as const];
    const kept: TestPoint[] = [];
    for (const poll of [...polls, ...polls])
      await store().writePolls([seriesPoints(series, [poll])], async (_, points) => {
        kept.push(...points.flatMap(entriesOf));
      });
    expect(kept).toEqual([...polls, ...polls]);
    expect(await subject().readPolls(series)).toEqual(polls);
    expect(await pointsIn(store(), series)).toEqual([]);
  });
}

function testOutage({ subject }: Contract): void {
  it('says that all may succeed later while nothing answers, and commits nothing', async () => {
    const away = await subject().openAway();
    const series = newSeries();
    const points = [seriesPoints(series, [[t0, 1]])];
    let commits = 0;
    const commit = async () => void commits++;
    const calls = [
      () => away.prepare(),
      () => away.write(batchOf(points), commit),
      () => away.writePolls(points, commit),
      () => pointsIn(away, series),
      () => away.readPage({ stream: 'history', series, range: always, order: 'newest first', limit: 1 }),
      () => away.reduceNumbers({ stream: 'history', series, range: always, stepUs: 1e18 }),
      async () => away.remove?.('history', [{ series, ranges: [always] }], nothing),
    ];
    for (const call of calls) {
      const error: unknown = await call().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ action: 'retry' });
    }
    expect(commits).toBe(0);
    await away.close();
  });
}

/**
 * The promises of a store that the configuration asks for other than Postgres: `ConfiguredStore`, and its
 * events.
 */
export function testApartContract(title: string, makeSubject: MakeApart): void {
  describe(`${title}, as the configuration asks for it`, () => {
    let subject: Apart;
    beforeAll(async () => {
      subject = await makeSubject();
    });
    afterAll(async () => subject?.close());

    it('is known by the identity that its points are kept under', async () => {
      const { configured } = subject.apart;
      const store = await subject.open();
      const { kind, id, prefix } = configured;
      expect(store).toMatchObject({ id, kind: kind.name });
      expect(prefix.startsWith(`${kind.name}:`)).toBe(true);
      expect(id.startsWith(`${prefix}/`)).toBe(true);
      expect(store.events !== undefined).toBe(kind.takesEvents);
      expect(store.events?.id).not.toBe(id);
      await store.close();
    });

    it('has a pulse while its server is there', async () => {
      const { configured, away } = subject.apart;
      for (const [store, isThere] of [
        [configured, true],
        [away, false],
      ] as const) {
        const pulse = await store.openPulse({ limitMs: 2_000 });
        const error: unknown = await pulse.feel().catch((reason: unknown) => reason);
        if (isThere) expect(error).toBeUndefined();
        else expect(error).toBeInstanceOf(StoreError);
        await pulse.close();
      }
    });

    it('keeps each event of an alarm once, and apart from others of the same instant', async () => {
      const { configured, countEvents } = subject.apart;
      const store = await configured.open({ log: silentLog, makesPlace: true });
      await store.prepare();
      const events = [
        eventOf(),
        eventOf({ transition: 'cleared' }),
        eventOf({ place: 1 }),
        eventOf({ priority: 2, description: null, username: null }),
        eventOf({ at: t0 + 1 }),
      ];
      expect(await store.events?.write(events)).toEqual({ written: 5, refused: [] });
      expect(await store.events?.write(events.slice(1))).toEqual({ written: 4, refused: [] });
      expect(await countEvents()).toBe(5);
      const endless = eventOf({ show_name: 'x'.repeat(70_000) });
      const { written, refused } = (await store.events?.write([endless, ...events])) ?? {};
      expect(written).toBe(5);
      expect(refused).toEqual([{ event: endless, reason: expect.stringMatching(/\w+ \w+/) }]);
      expect(await countEvents()).toBe(5);
      await store.close();
    });
  });
}

/** Tests how a store treats its database, or its folder, if it makes that by itself. */
export function testPlaceContract(title: string, makeSubject: MakeApart): void {
  describe(`the place of ${title}`, () => {
    let subject: Apart;
    beforeAll(async () => {
      subject = await makeSubject();
    });
    afterAll(async () => subject?.close());

    it('makes its database once, and not at all for a command that only reads', async () => {
      const { configured, dropPlace } = subject.apart;
      const log = silentLog;
      const series = newSeries();
      const batch = batchOf([seriesPoints(series, [[t0, 1]])]);
      const writer = await configured.open({ log, makesPlace: true });
      await writer.prepare();
      await writer.write(batch, nothing);
      await dropPlace();
      const reader = await configured.open({ log, makesPlace: false });
      for (const call of [() => reader.prepare(), () => reader.prepare(), () => writer.write(batch, nothing)])
        await expect(call()).rejects.toBeInstanceOf(MissingDatabaseError);
      expect(await writer.prepare()).toBe(true);
      expect(await writer.prepare()).toBe(false);
      expect(await pointsIn(writer, series)).toEqual([]);
      await writer.write(batch, nothing);
      expect(await pointsIn(reader, series)).toEqual([[t0, 1]]);
      for (const store of [reader, writer]) await store.close();
    });
  });
}

function eventOf(more: Partial<PlacedAlarmEvent> = {}): PlacedAlarmEvent {
  return {
    object: 'pump 1',
    property: 'state',
    show_name: 'Too hot, "very"',
    alarm_type: 'limit',
    started_at: t0,
    transition: 'raised',
    at: t0,
    priority: 1,
    value: '90',
    description: 'over, the limit',
    username: 'ann',
    place: 0,
    ...more,
  };
}
