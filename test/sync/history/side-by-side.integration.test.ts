import { describe, expect, it, onTestFinished } from 'vitest';
import { Closers } from '../../../src/cli/open/closers.ts';
import { openConnections } from '../../../src/cli/open/open-connections.ts';
import { silentLog } from '../../../src/log.ts';
import type { OperationId } from '../../../src/platform/operations.ts';
import { objects } from '../../../src/streams/objects.ts';
import type { SyncContext } from '../../../src/sync/context.ts';
import { syncSnapshot } from '../../../src/sync/directory/sync-stream.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { listGaps } from '../../../src/sync/status/list-gaps.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';
import { noAlarms } from '../../support/stream-switches.ts';

const nowMs = Date.UTC(2026, 2, 1, 12);
const hourMs = 3_600_000;
const hours = 120;
const pumps = 8;
const ago = (count: number) => (nowMs - count * hourMs) * 1000;

/** Yields one point a minute. */
function* everyMinute(): Generator<[number, number]> {
  for (let k = 0; k < hours * 60; k += 1) yield [nowMs - hours * hourMs + k * 60_000, k];
}

/** Opens a plant whose platform takes its time, so that fillings meet. Its reply sizes are proven already. */
async function openPlant(): Promise<SimulatedPlant> {
  const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 }, nowMs: () => nowMs }, () => ({
    runtime: [{ objects: '*', properties: 'temp', current: false, history: { start: `${hours}h` } }],
    alarms: noAlarms,
    limits: { rowsPerRead: 400 },
  }));
  for (let k = 0; k < pumps; k += 1)
    plant.simulator.addObject({ name: `pump${k}`, properties: [{ name: 'temp', points: everyMinute() }] });
  await plant.databases.db.query('create schema if not exists plant');
  await plant.ctx.catalog.select();
  await plant.databases.db.query(
    `insert into plant.object_properties (object, property, primitive_type, persisted)
     select 'pump' || n, 'temp', 'Double', true from generate_series(0, ${pumps - 1}) as n`,
  );
  plant.ctx.catalog.expire();
  plant.simulator.setFaults([{ kind: 'latency', operation: 'readHistory', delayMs: 20 }]);
  return plant;
}

/** Opens the connections of another process. */
async function openSecond({ ctx }: SimulatedPlant): Promise<SyncContext> {
  const closers = new Closers(silentLog);
  onTestFinished(() => closers.close());
  const parts = await openConnections(ctx.config, { log: silentLog, closers });
  return { ...parts, progress: ctx.progress, signal: ctx.signal };
}

const historyRequests = ({ simulator }: SimulatedPlant) => simulator.requests().byOperation.readHistory ?? 0;

/** Counts the requests that one filling alone needs. */
async function countAlone(): Promise<number> {
  const plant = await openPlant();
  await fillHistory(plant.ctx, { mode: 'backfill', from: ago(hours), to: ago(0) });
  return historyRequests(plant);
}

describe('fillings side by side', () => {
  it('of overlapping ranges store everything once and read little twice', async () => {
    const alone = await countAlone();
    const plant = await openPlant();
    const second = await openSecond(plant);
    const third = await openSecond(plant);
    const summaries = await Promise.all([
      fillHistory(plant.ctx, { mode: 'backfill', from: ago(hours), to: ago(0) }),
      fillHistory(second, { mode: 'backfill', from: ago(hours - 10), to: ago(0) }),
      fillHistory(third, { mode: 'increment', again: 'none' }),
    ]);
    expect(summaries.map(({ status, problems }) => [status, problems])).toEqual([
      ['done', []],
      ['done', []],
      ['done', []],
    ]);
    expect(await plant.databases.count('samples')).toBe(pumps * hours * 60);
    expect((await listGaps(plant.ctx)).gaps).toEqual([]);
    expect(historyRequests(plant)).toBeLessThanOrEqual(alone * 1.25);
    expect(await plant.databases.rows('select count(*)::int from plantsync.claims')).toEqual([0]);
  });
});

describe('runs side by side', () => {
  it('count their own requests, and not those of the others', async () => {
    const plant = await openPlant();
    const before = plant.simulator.requests().byOperation;
    const [scan, fill] = await Promise.all([
      syncSnapshot(plant.ctx, objects),
      fillHistory(plant.ctx, { mode: 'backfill', from: ago(1), to: ago(0) }),
    ]);
    const after = plant.simulator.requests().byOperation;
    const sent = (...operations: OperationId[]) =>
      operations.reduce((sum, id) => sum + (after[id] ?? 0) - (before[id] ?? 0), 0);
    expect(scan.requests).toBe(sent('listObjects'));
    expect(fill.requests).toBe(sent('readHistory', 'getHealth'));
    expect(fill.requests).toBeGreaterThan(1);
  });
});
