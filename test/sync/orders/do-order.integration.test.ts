import { describe, expect, it } from 'vitest';
import type { OrderRecord } from '../../../src/ledger/orders.ts';
import { fillByPieces, fillPiece } from '../../../src/sync/backfill/fill-by-pieces.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { doOrder, type OrderParts } from '../../../src/sync/orders/do-order.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';

const nowMs = Date.UTC(2026, 2, 1, 12);
const hourMs = 3_600_000;
const micros = (agoHours: number) => (nowMs - agoHours * hourMs) * 1000;
const body = { from: micros(10), to: micros(1), object: 'pump', alarms: false, force: false };

function* everyMinute(): Generator<[number, number]> {
  for (let k = 0; k < 600; k += 1) yield [nowMs - 10 * hourMs + k * 60_000, k];
}

async function openPlant({ pump }: { pump: boolean } = { pump: true }): Promise<SimulatedPlant> {
  const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 }, nowMs: () => nowMs }, () => ({
    platform: { retries: 0 },
    runtime: [{ objects: 'pump', properties: 'temp', current: false, history: { start: '10m' } }],
  }));
  if (pump) addPump(plant);
  return plant;
}

function addPump({ simulator }: SimulatedPlant): void {
  simulator.addObject({ name: 'pump', properties: [{ name: 'temp', points: everyMinute() }] });
}

async function take({ ctx }: SimulatedPlant, kind: 'backfill' | 'replay'): Promise<OrderRecord> {
  const order = await ctx.ledger.orders.take(kind);
  if (order === undefined) throw new Error('nobody asked for anything');
  return order;
}

const parts: OrderParts = { fill: fillHistory, sleep: async () => undefined };
const stored = ({ databases }: SimulatedPlant) => databases.rows('select count(*)::int from plant.samples');

describe('an order for a backfill', () => {
  it('is done, and its run tells what was asked for and how far it came', async () => {
    const plant = await openPlant();
    const { ledger } = plant.ctx;
    const id = await ledger.orders.ask('backfill', body);
    await doOrder(plant.ctx, await take(plant, 'backfill'), parts);
    expect(await ledger.orders.get(id)).toMatchObject({
      status: 'done',
      result: { runs: [{ stream: 'history', status: 'done', records: 540 }] },
    });
    expect(await stored(plant)).toEqual([540]);
    const [run] = await ledger.runs.list({ kind: 'backfill' });
    expect(run).toMatchObject({
      asked: { from: '2026-03-01T02:00:00Z', to: '2026-03-01T11:00:00Z', object: 'pump', order: id },
      progress: { done: 9, planned: 9, unit: 'series-hours', points: 540 },
    });
  });

  it('goes back for the next process if this one ends, and then reads only what is missing', async () => {
    const plant = await openPlant();
    const { ledger } = plant.ctx;
    const id = await ledger.orders.ask('backfill', body);
    const ending = new AbortController();
    const fill: OrderParts['fill'] = async (ctx, order) => {
      await fillHistory(ctx, { ...order, to: micros(5) });
      ending.abort();
      return fillHistory(ctx, order);
    };
    const ctx = { ...plant.ctx, signal: ending.signal };
    await doOrder(ctx, await take(plant, 'backfill'), { ...parts, fill });
    expect(await ledger.orders.get(id)).toMatchObject({ status: 'waiting' });
    expect(await stored(plant)).toEqual([300]);
    await doOrder(plant.ctx, await take(plant, 'backfill'), parts);
    expect(await ledger.orders.get(id)).toMatchObject({
      status: 'done',
      result: { runs: [{ records: 240 }] },
    });
  });

  it('goes on after a trouble that passes, and ends as failed after one that does not', async () => {
    const plant = await openPlant();
    const { ledger } = plant.ctx;
    plant.simulator.setFaults([{ kind: 'status', status: 503, operation: 'readHistory' }]);
    const vain = await ledger.orders.ask('backfill', body);
    let waits = 0;
    const sleep = async () => {
      waits += 1;
    };
    await doOrder(plant.ctx, await take(plant, 'backfill'), { ...parts, sleep });
    expect(await ledger.orders.get(vain)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('503'),
    });
    expect(waits).toBe(4);
    const id = await ledger.orders.ask('backfill', body);
    const passes = async () => plant.simulator.setFaults([]);
    await doOrder(plant.ctx, await take(plant, 'backfill'), { ...parts, sleep: passes });
    expect(await ledger.orders.get(id)).toMatchObject({ status: 'done' });
  });

  it('ends as cancelled soon after somebody cancels it, or its run', async () => {
    const plant = await openPlant();
    const { ledger } = plant.ctx;
    const whenAborted = (ctx: { signal: AbortSignal }) =>
      new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    const id = await ledger.orders.ask('backfill', body);
    const order = await take(plant, 'backfill');
    const slow: OrderParts['fill'] = async (ctx, asked) => {
      await ledger.orders.cancel(id);
      await whenAborted(ctx);
      return fillHistory(ctx, asked);
    };
    await doOrder(plant.ctx, order, { ...parts, fill: slow });
    expect(await ledger.orders.get(id)).toMatchObject({ status: 'cancelled' });

    const other = await ledger.orders.ask('backfill', body);
    plant.simulator.setFaults([{ kind: 'latency', operation: 'readHistory', delayMs: 6_000 }]);
    const doing = doOrder(plant.ctx, await take(plant, 'backfill'), parts);
    await expect
      .poll(async () => {
        const [run] = await ledger.runs.list({ kind: 'backfill', status: 'running' });
        return run && ledger.runs.askToCancel([run.id]);
      })
      .toHaveLength(1);
    await doing;
    expect(await ledger.orders.get(other)).toMatchObject({ status: 'cancelled' });
  });
});

describe('an order for a backfill of a series that could not be read lately', () => {
  const byPieces: OrderParts['fill'] = (ctx, order) =>
    fillByPieces(ctx, order, async ({ pieces, onEnd }) => {
      for (const piece of pieces) onEnd(piece, await fillPiece(ctx, piece));
    });

  it.each([
    ['in this process', fillHistory],
    ['by workers', byPieces],
  ])('tries it at once, %s', async (_, fill) => {
    const plant = await openPlant({ pump: false });
    const { ctx } = plant;
    const before = await fillHistory(ctx, { mode: 'backfill', from: micros(10), to: micros(1) });
    expect(before.problems).toEqual([expect.stringMatching(/pump\.temp.*not found/)]);
    addPump(plant);
    const id = await ctx.ledger.orders.ask('backfill', body);
    await doOrder(ctx, await take(plant, 'backfill'), { ...parts, fill });
    expect(await ctx.ledger.orders.get(id)).toMatchObject({ status: 'done' });
    expect(await stored(plant)).toEqual([540]);
  });
});

it('an order for a replay tells what became of each case', async () => {
  const plant = await openPlant();
  const { ledger } = plant.ctx;
  const range = { from: micros(3), to: micros(2) };
  await fillHistory(plant.ctx, { mode: 'backfill', ...range });
  await ledger.rejects.add([
    { stream: 'history', kind: 'point', key: 'pump.temp', reason: 'was odd', range },
    { stream: 'no_stream', kind: 'record', key: 'x', reason: 'is odd' },
  ]);
  const cases = await ledger.rejects.list({});
  const [point, unknown] = ['history', 'no_stream'].map((name) =>
    cases.find(({ stream }) => stream === name),
  );
  const id = await ledger.orders.ask('replay', { ids: [point?.id, unknown?.id, 999_999] });
  await doOrder(plant.ctx, await take(plant, 'replay'), parts);
  expect(await ledger.orders.get(id)).toMatchObject({
    status: 'partial',
    result: {
      cases: [
        { id: point?.id, outcome: 'resolved' },
        { id: unknown?.id, outcome: 'open', note: expect.stringContaining('no such stream') },
      ],
      runs: [{ stream: 'history' }],
    },
  });
});
