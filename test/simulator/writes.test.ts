import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession, type Session } from './session.ts';

let session: Session;
beforeAll(async () => {
  session = await openSession();
  session.simulator.addObject({ name: '表/1' });
});
afterAll(() => session.simulator.close());

const table = `/openapi/datatable/v1/${encodeURIComponent('表/1')}`;

test('datatable entries are added, changed and deleted by equality', async () => {
  const entries = () => session.simulator.truth.datatable('表/1');
  for (const entry of [
    { id: 1, kind: 'a' },
    { id: 2, kind: 'a' },
    { id: 3, kind: 'b' },
  ]) {
    const added = await session.post(`${table}/addDataTableEntry`, entry);
    expect([added.status, added.headers.get('location')]).toEqual([
      201,
      expect.stringContaining('/openapi/datatable/v1/%E8'),
    ]);
  }
  const updated = await session.post(`${table}/updateDataTableEntry`, {
    update: { kind: 'c' },
    where: { kind: 'a' },
  });
  expect([updated.status, updated.headers.has('location')]).toEqual([201, true]);
  expect(entries().map(({ kind }) => kind)).toEqual(['c', 'c', 'b']);
  const deleted = await session.post(`${table}/deleteDataTableEntry`, { kind: 'c', id: 2 });
  expect([deleted.status, deleted.text]).toEqual([204, '']);
  expect(entries().map(({ id }) => id)).toEqual([1, 3]);
});

test('a datatable of a missing object, and a body that is none, are refused', async () => {
  const missing = await session.post('/openapi/datatable/v1/none/addDataTableEntry', { id: 1 });
  expect(JSON.parse(missing.text)).toEqual({ code: '800001', message: 'object none not found' });
  expect((await session.post(`${table}/addDataTableEntry`, [1])).status).toBe(400);
});

test('a workflow is started once per call', async () => {
  const body = { appId: 'a', userId: 'u', data: { n: 1 } };
  const started = await session.post('/openapi/workflows/v1/start/maintenance', body);
  expect([started.status, started.headers.get('location')]).toEqual([
    201,
    '/openapi/workflows/v1/maintenance/1',
  ]);
  expect(session.simulator.truth.workflows()).toEqual([{ id: 1, diagramCode: 'maintenance', body }]);
  expect((await session.post('/openapi/workflows/v1/start/none', body)).status).toBe(400);
});

test('health tells its result in both states', async () => {
  expect(await session.json('/openapi/health')).toEqual({ result: 'ok' });
  session.simulator.setDialect({ healthy: false });
  const ill = await session.get('/openapi/health');
  expect([ill.status, Object.keys(JSON.parse(ill.text))]).toEqual([400, ['result']]);
});
