import { describe, expect, it } from 'vitest';
import { listJobs } from '../../../jobs/index.ts';
import { StoreError } from '../../../src/errors.ts';
import type { PointStore } from '../../../src/load/stores/store.ts';
import { rawHistory } from '../../../src/series/history-stream.ts';
import { fillByPieces } from '../../../src/sync/backfill/fill-by-pieces.ts';
import { estimateFill } from '../../../src/sync/history/estimate-fill.ts';
import { fillPortions } from '../../../src/sync/history/fill-batches.ts';
import { fillHistory, planHistory } from '../../../src/sync/history/fill-history.ts';
import { loadRates } from '../../../src/sync/history/fill-rate.ts';
import { planPortions } from '../../../src/sync/history/plan-order.ts';
import { recordRun } from '../../../src/sync/record-run.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';

const nowMs = Date.UTC(2026, 2, 1, 12);
const hourMs = 3_600_000;
const micros = (agoHours: number) => (nowMs - agoHours * hourMs) * 1000;
const empty = { size: { objects: 0, persons: 0 }, nowMs: () => nowMs };

/** Makes a selection that names one series in full. */
const only = (objects: string) => ({
  objects,
  properties: 'temp',
  current: false,
  history: { start: '10h', lookback: '1h' },
});

/** Yields one point a minute for ten hours. */
function* everyMinute(): Generator<[number, number]> {
  for (let k = 0; k < 600; k += 1) yield [nowMs - 10 * hourMs + k * 60_000, k];
}

function addPumps({ simulator }: SimulatedPlant, names: readonly string[]): void {
  for (const name of names)
    simulator.addObject({ name, properties: [{ name: 'temp', points: everyMinute() }] });
}

const historyRequests = ({ simulator }: SimulatedPlant) => simulator.requests().byOperation.readHistory ?? 0;

const ghostRequests = ({ simulator }: SimulatedPlant) =>
  simulator.journal().filter(({ body }) => JSON.stringify(body ?? '').includes('ghost')).length;

describe('filling history', () => {
  it('tells what no store keeps any more, also where others do the work', async () => {
    const plant = await openSimulatedPlant(empty, ({ postgres }) => ({
      postgres: { ...postgres, keepSamples: '3h' },
      runtime: [only('pump')],
    }));
    addPumps(plant, ['pump']);
    const order = { mode: 'backfill', from: micros(10), to: micros(0) } as const;
    const alone = await fillHistory(plant.ctx, order);
    const shared = await fillByPieces(plant.ctx, order, async () => undefined);
    expect(shared.notes).toContainEqual(expect.stringMatching(/stored already \(1 series\)/));
    for (const { notes } of [alone, shared])
      expect(notes).toContainEqual(expect.stringMatching(/postgres:plant keeps points since .* only/));
  });

  it('costs a few requests more where one of many series is unknown to the platform, and the others are complete', async () => {
    const names = Array.from({ length: 50 }, (_, k) => `pump${k}`);
    const plant = await openSimulatedPlant(empty, () => ({
      runtime: [...names, 'ghost'].map(only),
      limits: { rowsPerRead: 500 },
    }));
    addPumps(plant, names);
    const summary = await fillHistory(plant.ctx, { mode: 'increment', again: 'none' });
    expect(summary.problems).toEqual([expect.stringMatching(/ghost\.temp.*not found/)]);
    expect(await plant.databases.count('samples')).toBe(50 * 600);
    // Each selection is planned by itself. One window proves its size by three requests, and the ghost fails
    // once.
    expect(historyRequests(plant)).toBeLessThan(50 * 4);
    const before = ghostRequests(plant);
    await fillHistory(plant.ctx, { mode: 'increment', again: 'none' });
    expect(ghostRequests(plant), 'the ghost rests').toBe(before);
    expect(before).toBeGreaterThan(0);
  });

  it('isolates an unknown series of a batch once, not in every window', async () => {
    const names = Array.from({ length: 30 }, (_, k) => `pump${k}`);
    const plant = await openSimulatedPlant(empty, () => ({
      runtime: [{ objects: '*', properties: 'temp', current: false, history: { start: '10h' } }],
      limits: { rowsPerRead: 300 },
    }));
    addPumps(plant, names);
    // The directory still lists an object that the platform no longer has.
    await plant.ctx.ledger.series.register([]);
    await plant.ctx.catalog.select();
    await plant.databases.db.query(
      `insert into plant.object_properties (object, property, primitive_type, persisted) values ${[...names, 'ghost'].map((name) => `('${name}', 'temp', 'Double', true)`).join(', ')}`,
    );
    plant.ctx.catalog.expire();
    const summary = await fillHistory(plant.ctx, { mode: 'increment', again: 'none' });
    expect(summary.problems).toEqual([expect.stringMatching(/ghost\.temp/)]);
    expect(await plant.databases.count('samples')).toBe(30 * 600);
    const perfect = (30 * 600) / 300;
    expect(historyRequests(plant)).toBeLessThan(perfect * 1.1 + 40);
  });

  it('leaves behind what it showed of density and pace, from which the next plan is reckoned without a request', async () => {
    const plant = await openSimulatedPlant(empty, () => ({ runtime: [only('pump1')] }));
    addPumps(plant, ['pump1']);
    const order = { mode: 'backfill', from: micros(10), to: micros(0) } as const;
    expect(await estimateFill(plant.ctx, order)).toMatchObject({ series: 1, estimate: undefined });
    await fillHistory(plant.ctx, order);
    expect(await estimateFill(plant.ctx, order)).toMatchObject({ lines: [], seriesHours: 0 });
    const requests = historyRequests(plant);
    const { lines, estimate } = await estimateFill(plant.ctx, { ...order, from: micros(20), force: true });
    expect(lines).toMatchObject([{ selection: 'pump1/temp', stores: ['postgres'], series: 1 }]);
    expect(Math.abs((estimate?.points ?? 0) / 1_200 - 1)).toBeLessThan(0.01);
    expect(estimate?.requests).toBeGreaterThan(0);
    expect(historyRequests(plant)).toBe(requests);
    // A short run shows no true rate.
    await fillHistory(plant.ctx, { mode: 'backfill', from: micros(0.5), to: micros(0), force: true });
    expect((await loadRates(plant.ctx))(rawHistory)?.rows).toBe(600);
  });

  it('in portions reads first what all stores lack of all portions, and then what only some lack', async () => {
    const names = ['pump1', 'pump2', 'pump3'];
    const plant = await openSimulatedPlant(empty, ({ influx }) => ({ influx, runtime: names.map(only) }));
    addPumps(plant, names);
    const { ctx, simulator, databases } = plant;
    const stores = ctx.stores.filter(({ kind }) => kind === 'postgres');
    await fillHistory({ ...ctx, stores }, { mode: 'backfill', from: micros(10), to: micros(8) });
    simulator.resetRequests();
    const order = { mode: 'backfill', from: micros(10), to: micros(6) } as const;
    const portions: number[] = [];
    const plan = async function* () {
      const size = { series: 1, batches: 1 };
      for await (const portion of planPortions(ctx, order, { count: { asked: 0, open: 0 }, size })) {
        portions.push(portion.batches.length);
        yield portion;
      }
    };
    await recordRun(ctx, { stream: 'history', kind: 'backfill' }, async (summary, running) => {
      await fillPortions(running, summary, { plan });
    });
    const readAt = simulator
      .journal()
      .filter(({ operation }) => operation === 'readHistory')
      .map(({ body }) => /"ge":"([^"]*)"/.exec(JSON.stringify(body))?.[1] ?? '');
    const isOld = readAt.map((from) => Date.parse(from) * 1000 < micros(8));
    expect(isOld, 'a new store does not hold up the others').toEqual([...isOld].sort());
    expect(isOld.filter(Boolean)).toHaveLength(isOld.length / 2);
    // What Influx lacks is planned again when all portions are through, and is then all that is missing.
    expect(portions).toEqual([2, 2, 2, 1, 1, 1]);
    expect(await planHistory(ctx, order)).toEqual([]);
    expect(await databases.count('samples')).toBe(3 * 240);
    for (const name of names) expect((await databases.influxPoints(`${name}.temp`)).times).toHaveLength(240);
  });

  it('of one selection leaves the others alone', async () => {
    const plant = await openSimulatedPlant(empty, () => ({ runtime: ['pump1', 'pump2'].map(only) }));
    addPumps(plant, ['pump1', 'pump2']);
    const [first] = plant.ctx.config.runtime;
    if (first === undefined) throw new Error('there are two selections');
    await fillHistory(plant.ctx, { mode: 'increment', again: 'none', selection: first });
    expect(
      await plant.databases.rows(
        'select distinct object from plant.samples join plant.series using (series_id)',
      ),
    ).toEqual(['pump1']);
  });

  it.each(['status', 'silent'] as const)(
    'ends with the error after a few requests where nothing answers (%s)',
    async (kind) => {
      const names = Array.from({ length: 40 }, (_, k) => `pump${k}`);
      const plant = await openSimulatedPlant(empty, () => ({
        platform: { requestTimeout: '150ms', retries: 0 },
        runtime: names.map(only),
      }));
      addPumps(plant, names);
      plant.simulator.setFaults([
        { kind, operation: 'readHistory', ...(kind === 'status' && { status: 400, code: '800001' }) },
      ]);
      const summary = await fillHistory(plant.ctx, { mode: 'increment', again: 'none' });
      expect(summary.status).toBe('failed');
      expect(historyRequests(plant)).toBeLessThan(60);
      plant.simulator.setFaults([]);
      expect(await fillHistory(plant.ctx, { mode: 'increment', again: 'none' })).toMatchObject({
        status: 'done',
      });
      expect(await plant.databases.count('samples')).toBe(40 * 600);
    },
  );

  it('finds late points for a healthy store while another is down', async () => {
    const plant = await openSimulatedPlant(empty, () => ({ runtime: [only('pump1')] }));
    addPumps(plant, ['pump1']);
    let down = false;
    const second = toggledStore(plant.ctx.postgresStore, () => down);
    const ctx = { ...plant.ctx, stores: [plant.ctx.postgresStore, second] };
    await fillHistory(ctx, { mode: 'backfill', from: micros(10), to: micros(2) });
    down = true;
    await fillHistory(ctx, { mode: 'increment', again: 'none' });
    plant.simulator.addPoints('pump1.temp', [[nowMs - hourMs / 2 + 30_000, 7_777]]);
    await fillHistory(ctx, { mode: 'increment', again: 'lookback' });
    expect(await plant.databases.rows('select count(*)::int from plant.samples where value = 7777')).toEqual([
      1,
    ]);
  });

  it('looks back again only when a quarter of the lookback has passed, whichever process did it last', async () => {
    const plant = await openSimulatedPlant(empty, () => ({ runtime: [only('pump1')] }));
    addPumps(plant, ['pump1']);
    /** Runs the job in a process of its own, which knows only what is in the ledger. */
    const runAfter = async (minutes: number) => {
      const job = listJobs(plant.ctx.config).find(({ name }) => name === 'increment-1');
      const clock = () => plant.ctx.clock() + minutes * 60e6;
      return [await job?.run({ ...plant.ctx, clock })].flat()[0]?.lookedBack;
    };
    expect(await runAfter(0)).toBe(true);
    expect(await runAfter(14)).toBeUndefined();
    expect(await runAfter(16)).toBe(true);
  });

  it('offers a store nothing older than it keeps, when reading again too', async () => {
    const plant = await openSimulatedPlant(empty, () => ({ runtime: [only('pump1')] }));
    addPumps(plant, ['pump1']);
    const oldest: number[] = [];
    const short: PointStore = {
      ...plant.ctx.postgresStore,
      id: 'short',
      retentionMs: () => plant.ctx.clock() / 1000 - nowMs + 3 * hourMs,
      write: async (batch, commit) => {
        oldest.push(batch.range.from);
        await commit(undefined, []);
        return { written: 0, skipped: 0, refused: [] };
      },
    };
    const ctx = { ...plant.ctx, stores: [plant.ctx.postgresStore, short] };
    await fillHistory(ctx, { mode: 'backfill', from: micros(10), to: micros(0), force: true });
    expect(Math.min(...oldest)).toBeGreaterThanOrEqual(micros(3));
    expect(await plant.databases.count('samples')).toBe(600);
  });
});

/** Makes a second store, whose writes fail while it is down. */
function toggledStore(real: PointStore, isDown: () => boolean): PointStore {
  return {
    ...real,
    id: 'second',
    write: async (_, commit) => {
      if (isDown())
        throw new StoreError('influx.unreachable', 'the second store is down', { action: 'retry' });
      await commit(undefined, []);
      return { written: 0, skipped: 0, refused: [] };
    },
  };
}
