import { afterEach, expect, test } from 'vitest';
import { openSession, type Session } from './session.ts';

let session: Session;
afterEach(() => session.simulator.close());

const send = async (method: string, path: string, body?: unknown) => {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(session.simulator.baseUrl + path, init);
  return { status: response.status, body: JSON.parse(await response.text()) };
};
const get = (path: string) => send('GET', path);

test('another process counts requests and reads the journal, where no secret is', async () => {
  session = await openSession();
  const token = (await send('GET', '/simulator/journal')).body;
  expect(token).toMatchObject([
    { operation: 'getClientAccessToken', query: { appid: 'demo-app', secret: '***' } },
  ]);
  await Promise.all([session.get('/openapi/users/v1'), session.get('/openapi/users/v1?page=2')]);
  expect((await get('/simulator/requests')).body).toMatchObject({
    total: 3,
    byOperation: { getClientAccessToken: 1, listUsers: 2 },
  });
  await send('DELETE', '/simulator/requests');
  expect((await get('/simulator/requests')).body.total).toBe(0);
});

test('the path of the user operation shows no token in the journal', async () => {
  session = await openSession({ pathPrefix: '/gw' });
  await session.get('/oauth2/v1/canary/username');
  expect(session.simulator.baseUrl).toMatch(/\/gw$/);
  expect(session.simulator.journal().at(-1)).toMatchObject({
    path: '/gw/oauth2/v1/***/username',
    status: 400,
  });
});

test('another process steers dialect, faults, tokens and lifetime', async () => {
  session = await openSession();
  await send('PUT', '/simulator/dialect', { total: 'zero' });
  expect((await session.json('/openapi/users/v1')).pagination).toMatchObject({ total: 0 });
  expect((await send('PUT', '/simulator/dialect', { totals: 'zero' })).body.message).toContain('totals');
  await send('PUT', '/simulator/faults', [{ kind: 'status', status: 503 }]);
  expect((await session.get('/openapi/users/v1')).status).toBe(503);
  await send('PUT', '/simulator/faults', []);
  await send('POST', '/simulator/revoke-tokens');
  expect((await session.get('/openapi/users/v1')).status).toBe(401);
  expect(await send('PUT', '/simulator/token-lifetime', { seconds: 5 })).toMatchObject({ status: 200 });
});

test('another process changes the plant', async () => {
  session = await openSession();
  const change = (body: object) => send('POST', '/simulator/changes', body);
  const [first, second] = await session.names('/openapi/persons/v1');
  await change({
    collection: 'persons',
    kind: 'add',
    place: 'first',
    record: { name: 'new', showName: 'New', odd: 1 },
  });
  await change({ collection: 'persons', kind: 'update', key: second, change: { showName: 'Changed' } });
  await change({ collection: 'persons', kind: 'update', key: first, change: { name: 'renamed' } });
  const names = await session.names('/openapi/persons/v1');
  expect([names[0], names.at(-1), names.includes(first ?? ''), names.length]).toEqual([
    'new',
    'renamed',
    false,
    6,
  ]);
  expect(await session.json(`/openapi/persons/v1/${encodeURIComponent(second ?? '')}`)).toMatchObject({
    showName: 'Changed',
  });
  await change({ collection: 'persons', kind: 'remove', key: 'new' });
  expect((await session.get('/openapi/persons/v1/new')).status).toBe(400);
  expect((await change({ collection: 'persons', kind: 'remove', key: 'new' })).status).toBe(400);
  expect((await change({ collection: 'nonsense', kind: 'remove', key: 'x' })).body.message).toContain(
    'nonsense',
  );
  const { id } = (await send('POST', '/simulator/alarms', { sourceObjName: 'a', sourcePropName: 'b' })).body;
  await send('POST', `/simulator/alarms/${id}/acknowledge`);
  expect((await session.json('/openapi/alarms/v1/current')).list).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ sourceObjName: 'a', ackStatus: 1 })]),
  );
  expect((await send('POST', `/simulator/alarms/${id}/clear`)).status).toBe(200);
});

test('another process asks for the truth', async () => {
  session = await openSession({ size: { objects: 3, propertiesPerObject: 2 } });
  await send('POST', '/simulator/objects', {
    name: 'own',
    properties: [{ name: 'x', points: [['2024-05-01T00:00:00.000001Z', 1]] }],
  });
  await send('POST', '/simulator/points', { series: 'own.x', points: [[1714521601000, 'two']] });
  const history = await get(
    '/simulator/truth/history?series=own.x&from=2024-05-01T00:00:00Z&to=1714521602000',
  );
  expect(history.body).toEqual({
    points: [
      [1714521600000.001, 1],
      [1714521601000, 'two'],
    ],
    next: null,
  });
  expect((await get('/simulator/truth/history?series=ghost.x&from=0&to=1')).body.message).toContain('ghost');
  const { series } = (await get('/simulator/truth/series')).body;
  expect(series).toHaveLength(7);
  expect(series.at(-1)).toEqual({
    object: 'own',
    property: 'x',
    primitiveType: 'Double',
    persisted: true,
    logged: true,
  });
  const objects = await get('/simulator/truth/records/listObjects?offset=1&limit=2');
  expect([objects.body.total, objects.body.records.length]).toEqual([4, 2]);
  const properties = await get('/simulator/truth/records/listObjectProperties?objName=own');
  expect(properties.body).toMatchObject({ total: 1, records: [{ name: 'x' }] });
  expect((await get('/simulator/truth/records/nonsense')).status).toBe(400);
  expect([
    (await get('/simulator/truth/workflows')).body,
    (await get('/simulator/truth/datatables/own')).body,
  ]).toEqual([[], []]);
});

test('long truths come in parts that neither repeat nor skip a point', async () => {
  session = await openSession({ nowMs: () => Date.UTC(2024, 4, 1) });
  const { startMs } = session.simulator;
  session.simulator.addObject({
    name: 'long',
    properties: [
      {
        name: 'x',
        *points(fromMs, toMs) {
          // Each time has three points, so that a part may end among points with equal times.
          for (let time = fromMs; time < Math.min(toMs, startMs + 50_000); time += 1)
            for (const value of [1, 2, 3]) yield [time, value];
        },
      },
    ],
  });
  let [from, count] = [startMs, 0];
  for (let parts = 0; parts < 5; parts += 1) {
    const { points, next } = (
      await get(`/simulator/truth/history?series=long.x&from=${from}&to=${startMs + 60_000}`)
    ).body;
    count += points.length;
    if (next === null) break;
    from = next;
  }
  expect(count).toBe(150_000);
});

test('control can be switched off', async () => {
  session = await openSession({ control: false });
  expect((await get('/simulator/requests')).status).toBe(404);
});
