import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Change } from '../../src/simulator/plant/apply-change.ts';
import { openSession, type Session } from './session.ts';

let session: Session;
beforeEach(async () => {
  session = await openSession();
});
afterEach(() => session.simulator.close());

const change = (collection: Change['collection'], key: string, members: object, of?: string) =>
  session.simulator.change({
    collection,
    kind: 'update',
    key,
    change: { ...members },
    ...(of === undefined ? {} : { of }),
  });
const truth = () => session.simulator.truth;

describe('a change', () => {
  test.each(['events', 'features', 'services', 'subscriptions'])(
    'reaches the %s of an object, which its list does not show',
    async (member) => {
      const [name] = await session.names('/openapi/objects/v1');
      const entries = member === 'features' ? ['one'] : [{ name: 'one' }];
      change('objects', name ?? '', { [member]: entries });
      const shown = await session.json(`/openapi/objects/v1/${encodeURIComponent(name ?? '')}`);
      expect(shown[member]).toEqual(entries);
      expect(
        truth()
          .records('listObjects')
          .some((object) => member in object),
      ).toBe(false);
    },
  );

  test('reaches the roles of a user', async () => {
    change('users', 'admin0', { roles: [{ name: 'chief' }] });
    expect((await session.json('/openapi/users/v1/admin0')).roles).toEqual([{ name: 'chief' }]);
  });

  test('moves a node below another one, and gives it other associations and persons', async () => {
    change(
      'nodes',
      'node_0_3',
      { parent: 'node_0_1', nodes: ['org_0/node_0_0'], persons: ['P_00000'] },
      'org_0',
    );
    expect(await session.json('/openapi/orgs/v1/org_0/nodes/node_0_3')).toMatchObject({
      parent: 'node_0_1',
      nodes: ['org_0/node_0_0'],
      persons: ['P_00000'],
    });
    expect(
      truth()
        .records('listOrgNodes', { path: { orgName: 'org_0' } })
        .at(-1),
    ).not.toHaveProperty('nodes');
  });

  test('gives a network a tree of its own, where an object may stand twice', async () => {
    const [a = '', b = ''] = await session.names('/openapi/objects/v1');
    change('networks', 'network_0', {
      tree: [{ object: a, children: [{ object: b }, { object: 'none' }] }, { object: b }],
    });
    const { children } = await session.json('/openapi/networks/v1/network_0?recursion=recursion');
    expect(children).toMatchObject([{ name: a, children: [{ name: b, children: [] }] }, { name: b }]);
    expect(truth().records('listNetworks')[0]).not.toHaveProperty('tree');
  });
});

describe('the truth of one record', () => {
  test('is the reply, whatever dialect and faults make of it', async () => {
    const replies = {
      getPerson: ['persons/v1/P_00000', { name: 'P_00000' }],
      getUser: ['users/v1/admin0', { username: 'admin0' }],
      getOrg: ['orgs/v1/org_0', { orgName: 'org_0' }],
      getOrgNode: ['orgs/v1/org_0/nodes/node_0_1', { orgName: 'org_0', nodeName: 'node_0_1' }],
      getObject: ['objects/v1/AlarmObject_00004', { objName: 'AlarmObject_00004' }],
      getNetwork: ['networks/v1/network_0', { networkName: 'network_0' }],
    } as const;
    for (const [operation, [path, parameters]] of Object.entries(replies)) {
      session.simulator.setDialect({ recordTimes: 'utc' });
      const shown = await session.json(`/openapi/${path}`);
      session.simulator.setDialect({ recordTimes: 'epoch-ms' });
      session.simulator.setFaults([{ kind: 'hide' }]);
      expect(truth().reply(operation as keyof typeof replies, { path: parameters }), operation).toEqual(
        shown,
      );
      session.simulator.setFaults([]);
      const query = new URLSearchParams(parameters);
      const response = await fetch(
        `${session.simulator.baseUrl}/simulator/truth/replies/${operation}?${query}`,
      );
      expect(await response.json(), operation).toEqual(shown);
    }
  });

  test('is an error where there is no such record, or no such operation', async () => {
    expect(() => truth().reply('getUser', { path: { username: 'nobody' } })).toThrow('nobody not found');
    const response = await fetch(`${session.simulator.baseUrl}/simulator/truth/replies/listUsers`);
    expect(response.status).toBe(400);
  });
});
