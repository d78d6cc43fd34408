import { describe, expect, it } from 'vitest';
import { objectProperties } from '../../../src/streams/object-properties.ts';
import { objects } from '../../../src/streams/objects.ts';
import type { SyncContext } from '../../../src/sync/context.ts';
import { syncSnapshot } from '../../../src/sync/directory/sync-stream.ts';
import { type Discovery, discover } from '../../../src/sync/discover/discover-plant.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';

const HOUR_MS = 3_600_000;

function look(ctx: SyncContext): Promise<Discovery> {
  return discover(ctx, (schedule) => ('everyMs' in schedule ? HOUR_MS / schedule.everyMs : Number.NaN));
}

const property = (name: string, recorded = true) => ({
  name,
  persisted: recorded,
  logged: false,
  primitiveType: 'Double',
});

/** Counts the rows of each table in both schemas, except for tokens. */
const contents = `select table_schema, table_name,
  (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I.%I', table_schema, table_name), true, true, '')))[1]::text
  from information_schema.tables where table_schema in ('plant', 'plantsync') and table_name <> 'tokens' order by 1, 2`;

describe('what the platform has', () => {
  it('is told by its own numbers and by samples of its lists, and changes nothing in Postgres', async () => {
    const size = { persons: 25, users: 7, orgs: 2, nodesPerOrg: 5, objects: 240, propertiesPerObject: 6 };
    const { ctx, simulator, databases } = await openSimulatedPlant({ size });
    const before = await databases.rows(contents);
    const { streams, totals, requestsMade } = await look(ctx);
    expect(await databases.rows(contents)).toEqual(before);
    const byName = Object.fromEntries(streams.map((each) => [each.stream, each]));
    expect(byName.persons).toMatchObject({
      source: 'stated',
      entries: 25,
      requestsPerRun: 1,
      runsPerHour: 1,
    });
    expect(byName.person_details).toMatchObject({ entries: 25, requestsPerRun: 25, runsPerHour: 1 / 24 });
    expect(byName.objects).toMatchObject({ source: 'stated', entries: 240, requestsPerRun: 3 });
    expect(byName.org_nodes).toMatchObject({ source: 'stated', entries: 10, requestsPerRun: 2 });
    expect(byName.object_properties).toMatchObject({ source: 'estimated', requestsPerRun: 240 });
    const truth = [...simulator.truth.series()].length;
    expect(byName.object_properties?.entries).toBeGreaterThan(truth / 2);
    expect(byName.object_properties?.entries).toBeLessThan(truth * 2);
    expect(totals.isWhole).toBe(true);
    expect(requestsMade).toBeLessThan(150);
  });

  it('is counted in Postgres where it was synced, and the same series are found as are read', async () => {
    const { ctx, simulator } = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
      runtime: [
        { objects: 'pump1', properties: 'hidden' },
        { objects: 'nowhere', properties: 'x' },
        { objects: 'pump*', properties: '{temp,flow}' },
        { objects: '*/a' },
        { objects: '.pump' },
      ],
    }));
    for (const name of ['pump1', 'pump/2', 'line/a', '.pump'])
      simulator.addObject({
        name,
        properties: [property('temp'), property('flow'), property('hidden', false), property('other')],
      });
    const guessed = await look(ctx);
    for (const stream of [objects, objectProperties]) await syncSnapshot(ctx, stream);
    const { streams, selections } = await look(ctx);
    expect(streams.find(({ stream }) => stream === 'object_properties')).toMatchObject({
      source: 'stored',
      entries: 16,
      requestsPerRun: 4,
    });
    const selected = await ctx.catalog.select();
    const counts = selected.map(({ series }) => series.length);
    expect(counts).toEqual([1, 1, 4, 3, 3]);
    expect(selections.map(({ series }) => series)).toEqual(counts);
    // Four objects are a sample of all objects.
    expect(guessed.selections.map(({ series }) => series)).toEqual(counts);
  });

  it('is unknown where the platform states no number that can be relied upon', async () => {
    const { ctx } = await openSimulatedPlant({ size: 'tiny', dialect: { total: 'zero' } });
    const { streams, selections, totals } = await look(ctx);
    const byName = Object.fromEntries(streams.map((each) => [each.stream, each]));
    expect(byName.objects).toMatchObject({
      source: 'unknown',
      entries: undefined,
      problem: expect.stringContaining('no number'),
    });
    expect(byName.object_properties).toMatchObject({ source: 'unknown', entries: undefined });
    expect(selections[0]).toMatchObject({ source: 'unknown', series: undefined });
    expect(totals.isWhole).toBe(false);
  });

  it('is told of the other lists where one is refused', async () => {
    const refusal = { kind: 'status', operation: 'listNetworks', status: 400, code: '800001' } as const;
    const { ctx } = await openSimulatedPlant({ size: 'tiny', faults: [refusal] });
    const { streams } = await look(ctx);
    const unknown = streams.filter(({ source }) => source === 'unknown');
    expect(unknown.map(({ stream }) => stream)).toEqual(['networks', 'network_nodes']);
    expect(unknown[0]?.problem).toContain('listNetworks');
  });
});

describe('the first filling', () => {
  it('is told before the first sync, and what is left of it afterwards', async () => {
    const nowMs = Date.now();
    const { ctx, simulator } = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
      platform: { requestsPerSecond: 50 },
      limits: { rowsPerRead: 100 },
      runtime: [{ objects: 'pump*', history: { start: '10h' } }],
    }));
    const points = Array.from(
      { length: 600 },
      (_, k) => [nowMs - k * 60_000, k] as [number, number],
    ).reverse();
    for (const name of ['pump1', 'pump2', 'other'])
      simulator.addObject({
        name,
        properties: [{ ...property('temp'), points }, property('hidden', false)],
      });
    const before = await look(ctx);
    expect(before.selections[0]?.filling).toEqual({
      points: expect.closeTo(2 * 600, -2),
      requests: expect.closeTo(12, -1),
      // Reading at 50 requests per second, and storing 1,200 points in each store.
      seconds: expect.closeTo(12 / 50 + (1_200 * ctx.stores.length) / 10_000, 1),
      isGuess: true,
    });
    expect(before.filling).toMatchObject({ requestsPerSec: 50, isLarge: false });
    expect(before.leftOut).toEqual({ unrecorded: 2, unmatched: 2 });
    for (const stream of [objects, objectProperties]) await syncSnapshot(ctx, stream);
    await fillHistory(ctx, { mode: 'increment', again: 'none' });
    const after = await look(ctx);
    expect(after.selections[0]?.filling).toMatchObject({
      points: expect.toSatisfy((count: number) => count < 10),
      isGuess: false,
    });
    expect(after.leftOut).toEqual({ unrecorded: 2, unmatched: 2 });
  });

  it('is called large where it takes more than a day at the rate that is allowed', async () => {
    const { ctx, simulator } = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
      platform: { requestsPerSecond: 40 },
      limits: { rowsPerRead: 1 },
      runtime: [{ objects: 'pump*', history: { start: '3650d' } }],
    }));
    const nowMs = Date.now();
    const points = Array.from(
      { length: 60 },
      (_, k) => [nowMs - k * 60_000, k] as [number, number],
    ).reverse();
    simulator.addObject({ name: 'pump1', properties: [{ ...property('temp'), points }] });
    expect((await look(ctx)).filling).toMatchObject({ isLarge: true });
  });
});

describe('what reading costs', () => {
  it('follows from the schedules, and from the points that some series had in the last hour', async () => {
    const nowMs = Date.UTC(2026, 2, 1, 12, 0, 30);
    const { ctx, simulator } = await openSimulatedPlant(
      { size: { objects: 0, persons: 0 }, nowMs: () => nowMs },
      () => ({
        runtime: [
          { objects: 'pump1', properties: 'temp', current: { every: '1m' } },
          { objects: 'pump1', properties: 'off', current: false, history: false },
        ],
      }),
    );
    const points = Array.from(
      { length: 240 },
      (_, k) => [nowMs - k * 60_000, k] as [number, number],
    ).reverse();
    simulator.addObject({ name: 'pump1', properties: [{ name: 'temp', points }] });
    const { selections } = await look(ctx);
    // History is read each minute, the last hour again each quarter of an hour, and the last week each day.
    expect(selections[0]).toMatchObject({
      series: 1,
      pollRequestsPerHour: 60,
      valuesPerHour: 60,
      historyRequestsPerHour: expect.closeTo(60 + 4 + 2 / 24, 6),
      newPointsPerHour: 60,
      pointsReadPerHour: 60 + 4 * 60 + 7 * 60,
    });
    expect(selections[1]).toMatchObject({
      pollRequestsPerHour: 0,
      historyRequestsPerHour: 0,
      newPointsPerHour: 0,
      pointsReadPerHour: 0,
    });
  });
});
