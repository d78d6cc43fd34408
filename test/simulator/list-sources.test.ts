import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ListOperationId } from '../../src/platform/operations.ts';
import { openSession, type Session } from './session.ts';

let session: Session;
beforeAll(async () => {
  session = await openSession({ size: 'small', awkward: true, nowMs: () => Date.UTC(2024, 4, 1) });
});
afterAll(() => session.simulator.close());

const paths: Record<
  Exclude<ListOperationId, 'listOrgNodes' | 'listOrgPersons' | 'listObjectProperties'>,
  string
> = {
  listPersons: '/openapi/persons/v1',
  listUsers: '/openapi/users/v1',
  listOrgs: '/openapi/orgs/v1',
  listObjects: '/openapi/objects/v1',
  listNetworks: '/openapi/networks/v1',
  listAlarmHistory: '/openapi/alarms/v1/history',
};

describe('paging', () => {
  test.each(Object.entries(paths))('%s pages hold each record of the truth once', async (id, path) => {
    const truth = session.simulator.truth.records(id as ListOperationId);
    const records: unknown[] = [];
    const pageSize = id === 'listAlarmHistory' ? 100 : 7;
    for (let page = 1; records.length < truth.length; page += 1) {
      const reply = await session.json(`${path}?page=${page}&per_page=${pageSize}`);
      expect(reply.pagination).toEqual({ pageIndex: page, pageSize, total: truth.length });
      records.push(...(reply.list as unknown[]));
    }
    expect(records).toEqual(truth);
  });

  test('twenty records come by default, and none past the end', async () => {
    expect((await session.json('/openapi/persons/v1')).list).toHaveLength(20);
    expect(await session.json('/openapi/persons/v1?page=3')).toEqual({
      list: [],
      pagination: { pageIndex: 3, pageSize: 20, total: 40 },
    });
  });

  test.each(['page=0', 'page=-1', 'page=x', 'page=', 'per_page=0', 'per_page=101', 'per_page=1.5'])(
    '%s is refused with 800003',
    async (query) => {
      const { status, text } = await session.get(`/openapi/users/v1?${query}`);
      expect([status, JSON.parse(text).code]).toEqual([400, '800003']);
    },
  );
});

describe('details', () => {
  test('every record of every list is found by its alias, encoded once', async () => {
    const found = async (path: string, name: unknown, member = 'name') => {
      const record = await session.json(`${path}/${encodeURIComponent(String(name))}`);
      expect(record[member]).toBe(name);
    };
    const { truth } = session.simulator;
    for (const { name } of truth.records('listPersons')) await found('/openapi/persons/v1', name);
    for (const { username } of truth.records('listUsers'))
      await found('/openapi/users/v1', username, 'username');
    for (const { name } of truth.records('listObjects')) await found('/openapi/objects/v1', name);
    for (const { name } of truth.records('listOrgs')) {
      await found('/openapi/orgs/v1', name);
      const path = `/openapi/orgs/v1/${encodeURIComponent(String(name))}/nodes`;
      for (const node of await session.names(path)) await found(path, node);
    }
  });

  test('aliases with Chinese, quotes, slashes and backslashes are among them', async () => {
    const names = session.simulator.truth.records('listObjects').map(({ name }) => String(name));
    for (const character of ['/', '%', '"', '\\', '+', '号', '\u0000'])
      expect(
        [...names, ...session.simulator.truth.records('listPersons').map(({ name }) => String(name))].join(),
      ).toContain(character);
  });

  test.each(['persons/v1', 'users/v1', 'orgs/v1', 'objects/v1', 'networks/v1', 'orgs/v1/org_0/nodes'])(
    'a missing one of %s is named in the message',
    async (path) => {
      const { status, text } = await session.get(`/openapi/${path}/no%2Fsuch`);
      expect([status, JSON.parse(text)]).toEqual([
        400,
        { code: '800001', message: expect.stringContaining('no/such not found') },
      ]);
    },
  );

  test('a person has account and organizations, a user person and roles, an object its metadata', async () => {
    const person = await session.json('/openapi/persons/v1/P_00000');
    expect(person).toMatchObject({ account: { username: 'admin0' }, organizations: [{ orgName: 'org_0' }] });
    const user = await session.json('/openapi/users/v1/admin0');
    expect(user).toMatchObject({ person: { name: 'P_00000' }, roles: [{ name: expect.any(String) }] });
    const [first] = await session.names('/openapi/objects/v1');
    const object = await session.json(`/openapi/objects/v1/${encodeURIComponent(first ?? '')}`);
    for (const member of ['events', 'features', 'properties', 'services', 'subscriptions'])
      expect(object[member]).toBeInstanceOf(Array);
    expect(object.properties).toEqual(
      session.simulator.truth.records('listObjectProperties', { path: { objName: first ?? '' } }),
    );
  });

  test('a node tells its tree, its path and its persons', async () => {
    const node = await session.json(`/openapi/orgs/v1/org_0/nodes/node_0_3`);
    expect(node).toMatchObject({
      parent: 'node_0_0',
      root: 'org_0',
      nodes: [{ orgPath: 'org_0/node_0_0/node_0_3' }],
    });
    const codes = (node.persons as unknown[]).map((person) =>
      typeof person === 'string' ? person : Object.values(person as object)[0],
    );
    expect(codes).toEqual(await session.names('/openapi/orgs/v1/org_0/persons?nodeName=node_0_3'));
  });

  test('a network shows its uppermost objects, and all of them when asked for recursion', async () => {
    const path = '/openapi/networks/v1/network_0';
    const flat = (await session.json(path)).children as Record<string, unknown>[];
    expect(flat).toHaveLength(4);
    expect(flat.every((child) => child.children === undefined)).toBe(true);
    const count = (nodes: unknown): number =>
      Array.isArray(nodes) ? nodes.reduce((sum, node) => sum + 1 + count(node.children), 0) : 0;
    expect(count((await session.json(`${path}?recursion=recursion`)).children)).toBe(30);
    const pumps = (await session.json(`${path}?templateName=Pump`)).children as Record<string, unknown>[];
    expect(pumps.every((child) => child.templateName === 'Pump')).toBe(true);
  });
});

describe('filters', () => {
  test('hasAccount parts the persons in two', async () => {
    const all = await session.names('/openapi/persons/v1');
    const bound = await session.names('/openapi/persons/v1?hasAccount=true');
    const free = await session.names('/openapi/persons/v1?hasAccount=false');
    expect(bound.length * free.length).toBeGreaterThan(0);
    expect([...bound, ...free].sort()).toEqual([...all].sort());
    expect((await session.get('/openapi/persons/v1?hasAccount=yes')).status).toBe(400);
  });

  test('persons are found by exact name and showName, with organizations only if asked for', async () => {
    const [person] = (await session.json('/openapi/persons/v1?name=P_00000&includeOrgs=true')).list as Record<
      string,
      unknown
    >[];
    expect(person?.organizations).toHaveLength(1);
    const found = await session.json(
      `/openapi/persons/v1?showName=${encodeURIComponent(String(person?.showName))}`,
    );
    expect(found.list).toContainEqual({
      gender: person?.gender,
      name: 'P_00000',
      showName: person?.showName,
    });
  });

  test('objects are found by the beginning of their name, labels, feature, keyword and template', async () => {
    const all = session.simulator.truth.records('listObjects');
    const pumps = await session.names('/openapi/objects/v1?objName=Pump_');
    expect(pumps).toEqual(all.map(({ name }) => String(name)).filter((name) => name.startsWith('Pump_')));
    const labelled = await session.names('/openapi/objects/v1?modelLabels=hot&modelLabels=north%2Cside');
    expect(labelled).toHaveLength(
      all.filter(({ modelLabels }) =>
        (modelLabels as string[]).some((one) => ['hot', 'north,side'].includes(one)),
      ).length,
    );
    expect((await session.names('/openapi/objects/v1?featureName=maintainable')).length).toBeGreaterThan(0);
    expect((await session.names('/openapi/objects/v1?keyword=PUMP_0')).length).toBe(pumps.length);
    const two = await session.names('/openapi/objects/v1?templateName=Pump&templateName=Tank');
    const one = await session.names('/openapi/objects/v1?templateName=Pump');
    expect(two.length).toBeGreaterThan(one.length);
  });

  test('alarm and subscription objects are listed only by their template', async () => {
    expect(session.simulator.truth.count('listObjects')).toBe(60);
    expect(await session.names('/openapi/objects/v1?templateName=AlarmObject')).toHaveLength(1);
  });

  test('properties are found by the beginning of their name and by label', async () => {
    const object = encodeURIComponent((await session.names('/openapi/objects/v1'))[0] ?? '');
    expect(await session.names(`/openapi/objects/v1/${object}/properties?propName=pre`)).toEqual([
      'pressure',
    ]);
    expect(await session.names(`/openapi/objects/v1/${object}/properties?modelLabels=bar`)).toEqual([
      'pressure',
    ]);
  });

  test('a keyword finds users, trees, nodes and persons of a tree', async () => {
    expect(await session.names('/openapi/users/v1?keyword=ADMIN0')).toEqual(['admin0']);
    expect(await session.names('/openapi/orgs/v1?keyword=ORG_0')).toEqual(['org_0']);
    expect(await session.names('/openapi/orgs/v1?modelLabel=production')).toEqual(['org_0']);
    expect(await session.names('/openapi/orgs/v1/org_0/nodes?keyword=node_0_10')).toEqual(['node_0_10']);
    expect(await session.names('/openapi/orgs/v1/org_0/persons?keyword=admin0')).toEqual(['P_00000']);
  });
});
