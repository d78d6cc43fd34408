import { describe, expect, it } from 'vitest';
import { orgNodeDetails } from '../../src/streams/org-node-details.ts';
import { orgNodePersons } from '../../src/streams/org-node-persons.ts';
import { orgTreeDetails } from '../../src/streams/org-tree-details.ts';
import { personDetails } from '../../src/streams/person-details.ts';
import { persons } from '../../src/streams/persons.ts';
import { userDetails } from '../../src/streams/user-details.ts';
import { readRecord } from './read-record.ts';

describe('persons', () => {
  it('have their organizations in order, with what is not known of an entry', () => {
    const organizations = [
      { orgName: 'plant', nodeName: 'n1', orgPath: 'plant/n1', position: 'chief' },
      { orgName: 'plant', nodeName: 'n2' },
      { shape: 'of another platform' },
    ];
    const { rows, rejects } = readRecord(persons, { name: 'P1', organizations });
    expect(rows).toEqual({
      persons: [{ name: 'P1' }],
      person_organizations: [
        {
          ...{ person: 'P1', position: 1, org: 'plant', node: 'n1', org_path: 'plant/n1' },
          extra: { position: 'chief' },
        },
        { person: 'P1', position: 2, org: 'plant', node: 'n2' },
        { person: 'P1', position: 3, extra: { shape: 'of another platform' } },
      ],
    });
    expect(rejects).toEqual([]);
  });

  it('have organizations that are bare paths, whole as long as no node is known', () => {
    const { rows } = readRecord(persons, { name: 'P1', organizations: ['plant/a/b', '/plant'] });
    expect(rows.person_organizations).toEqual([
      { person: 'P1', position: 1, org_path: 'plant/a/b' },
      { person: 'P1', position: 2, org_path: '/plant' },
    ]);
  });

  it('say nothing of organizations if the member is absent, and that there are none if it is null or empty', () => {
    const of = (record: object) => readRecord(persons, { name: 'P1', ...record }).rows.person_organizations;
    expect(of({})).toBeUndefined();
    expect(of({ organizations: null })).toEqual([]);
    expect(of({ organizations: [] })).toEqual([]);
  });

  it('take one object in place of the list, and refuse what is no entry', () => {
    const one = readRecord(persons, { name: 'P1', organizations: { orgName: 'plant', nodeName: 'n1' } });
    expect(one.rows.person_organizations).toEqual([{ person: 'P1', position: 1, org: 'plant', node: 'n1' }]);
    const none = readRecord(persons, { name: 'P1', organizations: [true, { orgName: 'plant' }] });
    expect(none.rows.person_organizations).toEqual([{ person: 'P1', position: 2, org: 'plant' }]);
    expect(none.rejects).toEqual([
      { table: 'person_organizations', reason: 'the entry is not an object', sample: true },
    ]);
  });

  it('have the account that their details tell, and what fills the gaps of the list', () => {
    const record = {
      ...{ name: 'P1', showName: 'Li Na', gender: 'female', organizations: [] },
      account: { username: 'lina', email: '', phone: '1', timeZone: 'UTC', userDesc: 'd', locked: true },
      hired: 2019,
    };
    expect(readRecord(personDetails, record, { name: 'P1' }).rows).toEqual({
      persons: [
        {
          ...{ name: 'P1', username: 'lina', account_email: '', account_phone: '1' },
          ...{ show_name: 'Li Na', gender: 'female' },
          ...{ account_time_zone: 'UTC', account_description: 'd' },
          extra: { account: { locked: true }, hired: 2019 },
        },
      ],
      person_organizations: [],
    });
  });
});

describe('users', () => {
  const role = { name: 'r1', showName: 'Operator', createTime: '2019-01-01T00:00:00Z', level: 3 };

  it('have their roles, which are rows of their own', () => {
    const { rows, rejects } = readRecord(
      userDetails,
      {
        username: 'lina',
        roles: [role, 'r2', {}],
        person: { name: 'P1', showName: 'Li Na' },
        uploadUrl: '/a',
      },
      { username: 'lina' },
    );
    expect(rows.users).toEqual([
      { username: 'lina', person: 'P1', person_show_name: 'Li Na', avatar_path: '/a' },
    ]);
    expect(rows.user_roles).toEqual([
      { username: 'lina', role: 'r1', position: 1, extra: { level: 3 } },
      { username: 'lina', role: 'r2', position: 2 },
    ]);
    expect(rows.roles).toEqual([
      {
        ...{ name: 'r1', show_name: 'Operator', created_at: Date.UTC(2019, 0, 1) * 1000 },
        extra: { level: 3 },
      },
      { name: 'r2' },
    ]);
    expect(rejects).toEqual([
      { table: 'user_roles', reason: expect.stringContaining('no usable name'), sample: {} },
    ]);
  });
});

describe('organizations', () => {
  it('name people by bare codes, and by the members that may hold the code', () => {
    const people = [
      'P1',
      7,
      { name: 'P2', showName: 'Li Na' },
      { code: 'P3', name: 'Li' },
      { personCode: 'P4' },
    ];
    const { rows, rejects } = readRecord(
      orgTreeDetails,
      { name: 'plant', persons: [...people, { id: 5 }, null] },
      { name: 'plant' },
    );
    expect(rows.org_tree_persons).toEqual([
      { org: 'plant', person: 'P1' },
      { org: 'plant', person: '7' },
      { org: 'plant', person: 'P2', show_name: 'Li Na' },
      { org: 'plant', person: 'P3', extra: { name: 'Li' } },
      { org: 'plant', person: 'P4' },
    ]);
    expect(rejects).toEqual([
      {
        table: 'org_tree_persons',
        reason: expect.stringContaining('no usable person'),
        sample: { id: 5 },
      },
      { table: 'org_tree_persons', reason: 'the entry is not an object', sample: null },
    ]);
  });

  it('say nothing of leaders where the platform does not', () => {
    const leadersOf = (record: object) =>
      readRecord(orgTreeDetails, record, { name: 'plant' }).rows.org_tree_leaders;
    expect(leadersOf({})).toBeUndefined();
    expect(leadersOf({ leader: [{ name: 'P1' }] })).toEqual([{ org: 'plant', person: 'P1' }]);
  });

  it('link nodes to nodes of any tree', () => {
    const nodes = ['plant/quality', { orgName: 'office', nodeName: 'hr', orgPath: 'office/hr' }];
    const { rows } = readRecord(
      orgNodeDetails,
      { name: 'assembly', root: 'plant', nodes, persons: ['P1'] },
      { org: 'plant', name: 'assembly' },
    );
    const node = { org: 'plant', node: 'assembly' };
    expect(rows).toEqual({
      org_nodes: [{ org: 'plant', name: 'assembly', root: 'plant' }],
      org_node_links: [
        { ...node, position: 1, linked_path: 'plant/quality' },
        { ...node, position: 2, linked_org: 'office', linked_node: 'hr', linked_path: 'office/hr' },
      ],
      org_node_person_codes: [{ ...node, person: 'P1' }],
    });
  });

  it('list persons with the user name of their account', () => {
    const person = { name: 'P1', gender: 'male', account: { username: 'u', email: 'e' }, organizations: [] };
    expect(readRecord(orgNodePersons, person, { org: 'plant', name: 'assembly' }).rows).toEqual({
      org_node_persons: [{ org: 'plant', node: 'assembly', person: 'P1', gender: 'male', username: 'u' }],
    });
  });
});
