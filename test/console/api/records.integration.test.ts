import { expect, it, onTestFinished } from 'vitest';
import { startConsoleServer } from '../../../src/console/console-server.ts';
import { STORE_KINDS } from '../../../src/load/stores/store-kinds.ts';
import { silentLog } from '../../../src/log.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { doOrder } from '../../../src/sync/orders/do-order.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';

const nowMs = Date.UTC(2026, 2, 1, 12);
const hourMs = 3_600_000;
const iso = (agoHours: number) => new Date(nowMs - agoHours * hourMs).toISOString();

function* everyMinute(): Generator<[number, number]> {
  for (let k = 0; k < 600; k += 1) yield [nowMs - 10 * hourMs + k * 60_000, k];
}

interface Asked {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any reply
  readonly body: any;
}

async function openApi(readOnly = false) {
  const plant: SimulatedPlant = await openSimulatedPlant(
    { size: { objects: 0, persons: 0 }, nowMs: () => nowMs },
    () => ({
      runtime: [{ objects: 'pump', properties: 'temp', current: false, history: { start: '10m' } }],
      console: { readOnly },
    }),
  );
  plant.simulator.addObject({ name: 'pump', properties: [{ name: 'temp', points: everyMinute() }] });
  const { config } = plant.ctx;
  const readiness = () => ({ ready: true, dependencies: {} });
  const engine = { describeHealth: async () => ({}), trigger: async () => undefined };
  const context = { ...plant.ctx, kinds: STORE_KINDS, readiness, engine, redis: undefined };
  const server = await startConsoleServer({
    settings: { ...config.console, port: 0 },
    context: () => ({ ...context, redact: (text: string) => text, version: '0', layers: [] }) as never,
    ...{ version: '0', readiness, pageFolder: '', log: silentLog, clock: Date.now },
    prometheus: { render: async () => '', contentType: 'text/plain' },
    redact: (text) => text,
  });
  onTestFinished(() => server.close());
  const ask = async (path: string, body?: object): Promise<Asked> => {
    const headers = { 'content-type': 'application/json' };
    const sent = body && { method: 'POST', headers, body: JSON.stringify(body) };
    const reply = await fetch(`${server.url}/api/v1${path}`, sent);
    return { status: reply.status, body: await reply.json() };
  };
  return { ...plant, ask };
}

it('lists rejects in pages, and dismisses them with a note', async () => {
  const { ask, ctx } = await openApi();
  const reject = { stream: 'persons', kind: 'record', reason: 'no name', sample: { n: 5 } };
  await ctx.ledger.rejects.add(['a', 'b', 'c'].map((key) => ({ ...reject, key })));
  const first = await ask('/rejects?limit=2');
  expect(first.body).toMatchObject({ open: { persons: 3 }, items: [{ state: 'open', count: 1 }, {}] });
  const second = await ask(`/rejects?limit=2&after=${first.body.next}`);
  const keys = [...first.body.items, ...second.body.items].map(({ key }: { key: string }) => key);
  expect(keys.sort()).toEqual(['a', 'b', 'c']);
  expect(second.body.next).toBeUndefined();
  const [{ id }] = first.body.items;
  expect((await ask(`/rejects/${id}`)).body).toMatchObject({ sample: { n: 5 }, ranges: [] });
  expect(await ask('/rejects/dismiss', { ids: [id] })).toMatchObject({ status: 400 });
  expect(await ask('/rejects/dismiss', { ids: [id, 999_999], note: 'x' })).toMatchObject({
    status: 404,
    body: { error: { code: 'usage.unknown_case' } },
  });
  const dismissed = await ask('/rejects/dismiss', { ids: [id], note: 'ann: a test' });
  expect(dismissed.body).toEqual({ dismissed: [id], settled: [] });
  expect((await ask('/rejects?state=dismissed')).body.items).toMatchObject([{ id, note: 'ann: a test' }]);
  expect(await ask('/rejects/999999')).toMatchObject({ status: 404 });
  expect(await ask('/rejects?after=x')).toMatchObject({ status: 400 });
});

it('begins a backfill that the service does, and tells how it goes and ended', async () => {
  const { ask, ctx } = await openApi();
  expect(await ask('/backfills', { from: '2200-01-01' })).toMatchObject({ status: 400 });
  expect(await ask('/backfills', { from: iso(3), alarms: true, object: 'x' })).toMatchObject({ status: 400 });
  const begun = await ask('/backfills', { from: iso(5), to: iso(1), object: 'pu*' });
  expect(begun).toMatchObject({ status: 200, body: { status: 'waiting', object: 'pu*', problems: [] } });
  const { id } = begun.body;
  const order = await ctx.ledger.orders.take('backfill');
  expect((await ask(`/backfills/${id}`)).body).toMatchObject({ status: 'running' });
  await doOrder(ctx, order as never, { fill: fillHistory });
  const done = (await ask(`/backfills/${id}`)).body;
  expect(done).toMatchObject({
    status: 'done',
    from: '2026-03-01T07:00:00Z',
    records: 240,
    points: { postgres: 240 },
    progress: { share: 1, points: 240, done: 4, planned: 4 },
  });
  const { body: run } = await ask(`/runs/${done.run}`);
  expect(run).toMatchObject({
    stream: 'history',
    kind: 'backfill',
    outcome: 'done',
    summary: { problems: [] },
  });
  await fillHistory(ctx, { mode: 'backfill', from: (nowMs - hourMs) * 1000, to: nowMs * 1000 });
  const { items, next } = (await ask('/backfills?limit=1')).body;
  expect(items).toMatchObject([{ alarms: false, status: 'done' }]);
  expect(items[0].id).toBeUndefined();
  expect((await ask(`/backfills?limit=1&after=${next}`)).body).toMatchObject({ items: [{ id }] });
  const waiting = (await ask('/backfills', { from: iso(9), to: iso(8) })).body.id;
  expect((await ask(`/backfills/${waiting}/cancel`, {})).body).toMatchObject({ status: 'cancelled' });
  expect(await ask('/backfills/999999/cancel', {})).toMatchObject({ status: 404 });
  expect(await ask(`/runs/${done.run}/cancel`, {})).toMatchObject({ status: 404 });
  const runs = await ask('/runs?kind=backfill&outcome=done&from=2026-01-01');
  expect(runs.body.items).toHaveLength(2);
});

it('lets the service try rejects again, and tells what became of them', async () => {
  const { ask, ctx } = await openApi();
  await ctx.ledger.rejects.add([{ stream: 'gone', kind: 'record', key: 'k', reason: 'r' }]);
  const { id, status } = (await ask('/rejects/replay', { stream: 'gone' })).body;
  expect(status).toBe('waiting');
  await doOrder(ctx, (await ctx.ledger.orders.take('replay')) as never, { fill: fillHistory });
  expect((await ask(`/rejects/replays/${id}`)).body).toMatchObject({
    status: 'partial',
    cases: [{ outcome: 'open', note: expect.stringContaining('no such stream') }],
  });
  expect(await ask(`/backfills/${id}`)).toMatchObject({ status: 404 });
});

it('pauses, resumes and triggers as the commands do', async () => {
  const { ask, ctx } = await openApi();
  expect((await ask('/pause', { targets: ['scan-persons'] })).body).toEqual({ paused: ['scan-persons'] });
  expect((await ask('/pauses')).body.items).toMatchObject([{ target: 'scan-persons' }]);
  expect(await ask('/trigger', { targets: ['scan-persons'] })).toMatchObject({
    status: 400,
    body: { error: { code: 'usage.paused' } },
  });
  expect((await ask('/resume', {})).body).toEqual({ resumed: ['scan-persons'], left: [] });
  const triggered = ask('/trigger', { targets: ['persons'] });
  const begin = async () => undefined;
  await expect
    .poll(async () => {
      await ctx.ledger.control.takeTriggers(['scan-persons'], begin);
      return ctx.ledger.control.readWaiting([1]);
    })
    .toEqual([]);
  expect(await triggered).toMatchObject({ status: 200, body: { jobs: ['scan-persons'] } });
  expect(await ask('/pause', { targets: ['person'] })).toMatchObject({ status: 400 });
});

it('lists drift and changes, before and after', async () => {
  const { ask, ctx } = await openApi();
  const entry = { table: 'persons', kind: 'new', count: 2, sample: 1 } as const;
  await ctx.ledger.drift.replace('persons', [
    { ...entry, member: 'a' },
    { ...entry, member: 'b' },
  ]);
  const drift = (await ask('/drift?limit=1')).body;
  expect(drift.items).toMatchObject([{ member: 'a', kind: 'new' }]);
  expect((await ask(`/drift?limit=1&after=${drift.next}`)).body.items).toMatchObject([{ member: 'b' }]);
  for (const name of ['one', 'two'])
    await ctx.db.query(
      `insert into plantsync.changes (table_name, key, kind, before) values ('t', '{"k": 1}', 'updated', $1)`,
      [JSON.stringify({ k: 1, name })],
    );
  const changes = (await ask('/changes?table=t&key=1')).body;
  expect(changes.items).toMatchObject([
    { key: { k: 1 }, columns: [] },
    { columns: [{ name: 'name', before: 'one', after: 'two' }] },
  ]);
});

it('changes nothing where the console is only to be looked at', async () => {
  const { ask } = await openApi(true);
  const writes = ['/backfills', '/rejects/dismiss', '/rejects/replay', '/pause', '/resume', '/trigger'];
  for (const path of [...writes, '/backfills/1/cancel', '/runs/1/cancel'])
    expect(await ask(path, {}), path).toMatchObject({
      status: 403,
      body: { error: { code: 'console.read_only' } },
    });
  expect(await ask('/backfills')).toMatchObject({ status: 200 });
});

it('lists alarms in pages, also those of a far year', async () => {
  const { ask, ctx } = await openApi();
  const at = (time: string) => `('${time}', 'pump', 'temp', 'hot', 'limit')`;
  const times = ['2026-03-01T10:00:00.5Z', '9999-12-31T00:00:00Z', '0001-01-01T00:00:00Z'];
  await ctx.db.query(
    `insert into plant.alarms (started_at, object, property, show_name, alarm_type) values ${times.map(at).join(', ')}`,
  );
  const raised: string[] = [];
  for (let after = ''; ; ) {
    const { status, body } = await ask(`/alarms?limit=1${after}`);
    expect(status, JSON.stringify(body)).toBe(200);
    raised.push(...body.items.map(({ raisedAt }: { raisedAt: string }) => raisedAt.slice(0, 10)));
    if (body.next === undefined) break;
    after = `&after=${body.next}`;
  }
  expect(raised).toEqual(['9999-12-31', '2026-03-01', '0001-01-01']);
});
