import { expect, it, onTestFinished } from 'vitest';
import { startConsoleServer } from '../../../src/console/console-server.ts';
import { STORE_KINDS } from '../../../src/load/stores/store-kinds.ts';
import { silentLog } from '../../../src/log.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';

const nowMs = Date.UTC(2026, 2, 1, 12);
const hourMs = 3_600_000;
const iso = (agoHours: number) => new Date(nowMs - agoHours * hourMs).toISOString().replace('.000Z', 'Z');
const span = (from: number, to: number) => ({ from: iso(from), to: iso(to) });

/** Opens the API of a plant whose one series lacks an hour. Four hours are wanted, and six are stored. */
async function openApi() {
  const { ctx } = await openSimulatedPlant({ size: { objects: 0, persons: 0 }, nowMs: () => nowMs }, () => ({
    runtime: [
      { objects: 'pump *1', properties: 'temp', current: false, history: { start: '4h', settle: '0s' } },
    ],
  }));
  await ctx.catalog.select();
  await ctx.db.query(
    `insert into plant.object_properties (object, property, primitive_type, persisted)
     values ('pump *1', 'temp', 'Double', true)`,
  );
  ctx.catalog.expire();
  const fixed = { ...ctx, clock: () => nowMs * 1000 };
  const seriesIds = (await ctx.catalog.select()).flatMap(({ series }) => series.map(({ id }) => id));
  const [store] = ctx.stores.map(({ id }) => id) as [string];
  for (const [from, to] of [
    [6, 3],
    [2, 0],
  ] as const) {
    const range = { from: (nowMs - from * hourMs) * 1000, to: (nowMs - to * hourMs) * 1000 };
    await ctx.ledger.coverage.add({ store, stream: 'history', seriesIds, range });
  }
  const readiness = () => ({ ready: true, dependencies: {} });
  const engine = { describeHealth: async () => ({}), trigger: async () => undefined };
  const context = { ...fixed, kinds: STORE_KINDS, readiness, engine, redis: undefined, layers: [] };
  const server = await startConsoleServer({
    settings: { ...ctx.config.console, port: 0 },
    context: () => ({ ...context, redact: (text: string) => text, version: '0' }) as never,
    ...{ version: '0', readiness, pageFolder: '', log: silentLog, clock: Date.now },
    prometheus: { render: async () => '', contentType: 'text/plain' },
    redact: (text) => text,
  });
  onTestFinished(() => server.close());
  const request = (path: string, body?: object) =>
    fetch(`${server.url}/api/v1${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
  return {
    ctx: fixed,
    text: async (path: string) => (await request(path)).text(),
    async json(path: string, body?: object) {
      const reply = await request(path, body);
      return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
    },
  };
}

it('tells what is stored over time, the exact gap, and what filling it takes', async () => {
  const { json, ctx } = await openApi();
  const [store] = ctx.stores.map(({ id }) => id);
  const sources = await json('/coverage/sources');
  expect(sources.body.streams).toMatchObject([
    { name: 'history', stepSec: 1, stores: [{ id: store, kind: 'postgres', wanted: span(4, 0) }] },
    { name: 'alarms' },
  ]);
  const place = new URLSearchParams({ store: store as string, stream: 'history', from: '-8h', to: 'now' });
  const map = await json(`/coverage?${place}&columns=8&groupBy=none`);
  expect(map.body).toMatchObject({
    ...span(8, 0),
    total: 1,
    rows: [
      {
        name: 'pump *1.temp',
        series: 1,
        share: 0.75,
        missingSec: 3600,
        filter: { object: 'pump \\*1', property: 'temp' },
        cells: [null, null, null, null, 1, 0, 1, 1],
        kept: [0, 0, 1, 1, 0, 0, 0, 0],
      },
    ],
  });
  const fill = { object: 'pump \\*1', property: 'temp' };
  const gaps = await json(`/coverage/gaps?${place}`);
  expect(gaps.body).toEqual({
    ...{ series: 1, more: false, fill: {} },
    items: [{ ...span(3, 2), series: 1, first: { object: 'pump *1', property: 'temp' }, fill }],
  });
  const plan = await json('/backfills/plan', { ...span(3, 2), ...fill });
  expect(plan.body).toMatchObject({
    ...{ series: 1, seriesHours: 1, ...span(3, 2) },
    lines: [{ stream: 'history', stores: ['postgres'], gaps: 1, ...span(3, 2) }],
  });
  const covered = await json('/backfills/plan', { ...span(2, 1), ...fill });
  expect(covered.body).toMatchObject({ lines: [], reason: expect.stringMatching(/stored already/) });
  const alarms = await json('/backfills/plan', { ...span(3, 2), alarms: true });
  expect(alarms.body).toMatchObject({ lines: [{ stream: 'alarms', seriesHours: 1 }] });
});

it('tells what is available: ranges, gaps and extents, with small gaps merged, as JSON, CSV and text', async () => {
  const { json, text } = await openApi();
  const of = { object: 'pump *1', property: 'temp', stream: 'history', store: 'postgres:plant' };
  const asked = '/availability?stream=history&object=pump*';
  const ranges = [span(6, 3), span(2, 0)];
  expect((await json(asked)).body.items).toEqual([
    { ...of, earliest: iso(6), latest: iso(0), storedSec: 18_000, ranges },
  ]);
  expect((await json(`${asked}&show=gaps`)).body.items).toMatchObject([{ gaps: [span(3, 2)] }]);
  expect((await json(`${asked}&show=gaps&from=-9h`)).body.items).toMatchObject([
    { gaps: [span(9, 6), span(3, 2)] },
  ]);
  expect((await json(`${asked}&mergeGapSec=3600`)).body.items).toMatchObject([
    { storedSec: 18_000, ranges: [span(6, 0)] },
  ]);
  expect((await json(`${asked}&mergeGapSec=3599`)).body.items).toMatchObject([{ ranges }]);
  expect((await json(`${asked}&from=-5h&to=-1h`)).body.items).toMatchObject([
    { earliest: iso(5), latest: iso(1), ranges: [span(5, 3), span(2, 1)] },
  ]);
  const line = `pump *1,temp,history,postgres:plant,${iso(6)}`;
  expect(await text(`${asked}&format=csv&store=postgres`)).toBe(
    `object,property,stream,store,earliest,latest\r\n${line},${iso(3)}\r\n${line.replace(iso(6), iso(2))},${iso(0)}\r\n`,
  );
  expect(await text(`${asked}&format=text&show=extent`)).toBe(
    `#object property stream store earliest latest ranges storedSec\npump%20*1 temp history postgres:plant ${iso(6)} ${iso(0)} 2 18000\n`,
  );
  const all = await json('/availability?limit=1');
  expect(all.body).toMatchObject({ items: [{ stream: 'history' }], next: '1' });
  expect((await json('/availability?limit=1&after=1')).body).toMatchObject({ items: [{ object: 'alarms' }] });
});

it('refuses what it does not know', async () => {
  const { json } = await openApi();
  const place = 'store=postgres:plant&stream=history&from=-8h&to=now';
  for (const [path, problem] of [
    ['/coverage?store=x&stream=history&from=-8h&to=now', 'postgres:plant'],
    ['/coverage?store=postgres:plant&stream=historic&from=-8h&to=now', 'history'],
    ['/coverage?store=postgres:plant&stream=history&from=now&to=-8h', 'from'],
    [`/coverage?${place}&colums=4`, 'colums'],
    [`/coverage?${place}&columns=100000`, 'columns'],
    ['/availability?store=x', 'x'],
    ['/availability?mergeGapSec=-1', 'mergeGapSec'],
  ] as const) {
    const { status, body } = await json(path);
    expect([path, status]).toEqual([path, 400]);
    expect(JSON.stringify(body)).toContain(problem);
  }
  expect(await json('/backfills/plan', { from: '-1h', to: 'now', objct: 'x' })).toMatchObject({
    status: 400,
  });
});
