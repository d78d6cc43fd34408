import { describe, expect, it } from 'vitest';
import type { Check } from '../../../src/cli/checks/check.ts';
import { readsOf } from '../../../src/cli/checks/check-reads.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { streams } from '../../../src/streams/index.ts';
import { openStubClient } from '../../support/stub/client.ts';
import type { StubScript } from '../../support/stub/platform.ts';

/** A platform with one entry of everything. */
const plant: StubScript = {
  lists: {
    '/openapi/persons/v1': [{ name: 'ann', showName: 'Ann', gender: 'female' }],
    '/openapi/users/v1': [{ username: 'ann01' }],
    '/openapi/orgs/v1': [{ name: 'empty' }, { name: '工厂/1' }],
    '/openapi/orgs/v1/%E5%B7%A5%E5%8E%82%2F1/nodes': [{ name: 'hall' }],
    '/openapi/orgs/v1/%E5%B7%A5%E5%8E%82%2F1/persons': [{ name: 'ann' }],
    '/openapi/objects/v1': [{ name: 'bare' }, { name: 'pump1' }],
    '/openapi/objects/v1/pump1/properties': [{ name: 'text' }, { name: 'temp', persisted: true }],
    '/openapi/networks/v1': [{ name: 'factory' }],
  },
  details: {
    '/openapi/persons/v1/ann': { name: 'ann', gender: 'female' },
    '/openapi/users/v1/ann01': { username: 'ann01' },
    '/openapi/orgs/v1/empty': { name: 'empty' },
    '/openapi/orgs/v1/%E5%B7%A5%E5%8E%82%2F1/nodes/hall': { name: 'hall' },
    '/openapi/objects/v1/bare': { name: 'bare' },
    '/openapi/networks/v1/factory': { children: [{ name: 'line1', children: [] }] },
  },
  current: { 'pump1.temp': 21.5 },
};

async function openChecks(script: StubScript, settings: object = {}) {
  const { stub, platform } = await openStubClient(script);
  const access = { baseUrl: stub.baseUrl, appId: 'app', secret: 's3cret' };
  const config = await loadConfig({
    path: false,
    env: {},
    overrides: {
      platform: access,
      streams: settings,
      ...(settings === everyOff && { runtime: [], alarms: { current: false, history: false } }),
    },
  });
  return { stub, checks: readsOf(config, platform) };
}

/** Returns the result of each check, or the reason why it failed. */
async function lookAt(checks: readonly Check[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { what, look } of checks)
    found[what] = await look().catch((error: Error) => `FAILED ${error.message}`);
  return found;
}

const everyOff = Object.fromEntries(
  streams.filter(({ updates }) => !updates).map(({ name }) => [name, false]),
);

describe('the reads of check', () => {
  it('try the operation of every stream, in one request each where the first parent has entries', async () => {
    const { stub, checks } = await openChecks(plant);
    expect(await lookAt(checks)).toEqual({
      listPersons: '1 entry read',
      getPerson: 'details of ann read',
      listUsers: '1 entry read',
      getUser: 'details of ann01 read',
      listOrgs: '2 entries read',
      getOrg: 'details of empty read',
      listOrgNodes: '1 entry of 工厂/1 read',
      getOrgNode: 'details of 工厂/1/hall read',
      listOrgPersons: '1 entry of 工厂/1 read',
      'listOrgPersons (org_node_persons)': '1 entry of 工厂/1/hall read',
      listObjects: '2 entries read',
      getObject: 'details of bare read',
      listObjectProperties: '2 entries of pump1 read',
      listNetworks: '1 entry read',
      getNetwork: '1 entry of factory read',
      readCurrent: '1 value of pump1.temp read',
      readHistory: '0 rows of pump1.temp in the last hour read',
      listCurrentAlarms: '0 current alarms read',
      listAlarmHistory: '0 alarms of the last hour found',
    });
    const asked = stub.journal
      .filter(({ path, method }) => path.startsWith('/openapi/') && method === 'GET')
      .map(({ path, rawQuery }) => `${path}?${rawQuery}`);
    expect(asked.filter((path, index) => asked.indexOf(path) !== index)).toEqual([]);
    const members = stub.requestsTo('/openapi/orgs/v1/%E5%B7%A5%E5%8E%82%2F1/persons');
    expect(members.map(({ query }) => query.get('nodeName'))).toEqual([null, 'hall']);
    expect(asked).toContain('/openapi/networks/v1/factory?recursion=recursion');
  });

  it('call it no failure where there is nothing to read yet', async () => {
    const { checks } = await openChecks({});
    expect(await lookAt(checks)).toMatchObject({
      listPersons: '0 entries read',
      getPerson: 'nothing to read yet: the platform shows no persons',
      getOrgNode: 'nothing to read yet: the platform shows no org_nodes',
      listObjectProperties: 'nothing to read yet: the platform shows no objects',
      getNetwork: 'nothing to read yet: the platform shows no networks',
      readCurrent: 'nothing to read yet: no object has properties',
    });
  });

  it('send the filters of the configuration, and name the one that may hide everything', async () => {
    const { stub, checks } = await openChecks(
      { ...plant, answer: ({ query }) => (query.get('keyword') ? { body: { list: [] } } : undefined) },
      { users: { filter: { keyword: 'nobody' } }, objects: { filter: { modelLabels: ['b', 'a'] } } },
    );
    const found = await lookAt(checks);
    expect(found.listUsers).toBe('0 entries read; streams.users.filter may hide all');
    expect(found.getUser).toBe('nothing to read yet: the platform shows no users');
    const [persons] = stub.requestsTo('/openapi/persons/v1');
    expect(persons?.query.get('includeOrgs')).toBe('true');
    const [objects] = stub.requestsTo('/openapi/objects/v1');
    expect(objects?.query.getAll('modelLabels')).toEqual(['a', 'b']);
    const remedies = Object.fromEntries(checks.map(({ what, remedy }) => [what, remedy]));
    expect(remedies.listUsers).toContain('streams.users.filter');
    expect(remedies.listPersons).not.toContain('filter');
  });

  it('leave out what is switched off, and name what each read needs', async () => {
    const { checks } = await openChecks(plant, { persons: { details: 'off' }, org_trees: 'off' });
    const needs = Object.fromEntries(checks.map((check) => [check.what, check.needs]));
    expect(Object.keys(needs)).not.toContain('getPerson');
    expect(Object.keys(needs)).not.toContain('listOrgs');
    expect(Object.keys(needs)).not.toContain('getOrg');
    expect(needs).toMatchObject({
      listOrgNodes: undefined,
      getOrgNode: 'listOrgNodes',
      'listOrgPersons (org_node_persons)': 'listOrgNodes',
      listObjectProperties: 'listObjects',
      readHistory: 'listObjectProperties',
    });
    expect((await openChecks(plant, everyOff)).checks).toEqual([]);
  });

  it('fail where no entry can be named, and where a reply is not what the contract says', async () => {
    const { checks } = await openChecks({
      lists: { '/openapi/persons/v1': [{ showName: 'Ann' }], '/openapi/networks/v1': [{ name: 'factory' }] },
      details: { '/openapi/networks/v1/factory': { nodes: [] } },
    });
    const found = await lookAt(checks);
    expect(found.listPersons).toBe(
      'FAILED listPersons: none of the entries can be a row, since all lack name',
    );
    expect(found.getNetwork).toMatch(/^FAILED getNetwork: the reply is not what the contract says: /);
  });
});
