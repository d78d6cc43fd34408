import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OperationId, operations } from '../../src/platform/operations.ts';
import { newToken, openSession, type Session } from './session.ts';

let session: Session;
beforeAll(async () => {
  session = await openSession();
});
afterAll(() => session.simulator.close());

const queries: Partial<Record<OperationId, string>> = {
  getClientAccessToken: 'appid=demo-app&secret=demo-secret&grantType=client_credential',
  authorizeCode: 'appid=demo-app&responseType=code&redirectUri=http://app.example&state=s&scope=any',
};
const bodies: Partial<Record<OperationId, object>> = {
  readCurrent: { params: [] },
  readHistory: { select: ['"own.x"'] },
};

test.each(Object.keys(operations) as OperationId[])('%s answers with success', async (id) => {
  const { simulator } = session;
  simulator.addObject({ name: 'own', properties: [{ name: 'x' }] });
  const fetchJson = async (path: string) => (await fetch(simulator.baseUrl + path)).json();
  const grant = (await fetchJson(`/oauth2/client/v1/accessToken?${queries.getClientAccessToken}`)) as Record<
    string,
    string
  >;
  await fetch(`${simulator.baseUrl}/oauth2/code/v1/authorize?${queries.authorizeCode}`);
  const exchange = `appid=demo-app&secret=demo-secret&grantType=authorization_code&code=${simulator.lastCode()}`;
  let query = queries[id] ?? '';
  if (id === 'refreshClientToken') query = `refreshToken=${grant.refreshToken}`;
  if (id === 'getCodeAccessToken') query = exchange;
  if (id === 'refreshCodeToken') {
    const code = (await fetchJson(`/oauth2/code/v1/accessToken?${exchange}`)) as Record<string, string>;
    query = `refreshToken=${code.refreshToken}`;
  }
  const parameters: Record<string, string> = {
    accessToken: await newToken(simulator),
    objName: 'own',
    networkName: 'network_0',
    orgName: 'org_0',
    nodeName: 'node_0_0',
    name: 'P_00000',
    username: 'admin0',
    diagramCode: 'maintenance',
  };
  const { method, path } = operations[id];
  const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ''));
  const reply =
    method === 'GET' ? await session.get(`${url}?${query}`) : await session.post(url, bodies[id] ?? {});
  expect(reply.status, reply.text).toBeLessThan(300);
  expect(session.count(id)).toBeGreaterThan(0);
});
