import { describe, expect, it } from 'vitest';
import { DriftWatch } from '../../src/normalize/drift-watch.ts';
import { createRecordNormalizer } from '../../src/normalize/records.ts';
import { createInstantParser } from '../../src/series/instant.ts';
import type { RawRecord, Stream } from '../../src/streams/define.ts';
import { objectProperties } from '../../src/streams/object-properties.ts';
import { orgTreeDetails } from '../../src/streams/org-tree-details.ts';
import { persons } from '../../src/streams/persons.ts';
import { userDetails } from '../../src/streams/user-details.ts';

function watch(stream: Stream, records: readonly unknown[], parent?: RawRecord) {
  const normalize = createRecordNormalizer(stream, {
    parseInstant: createInstantParser({ timezone: 'UTC' }),
  });
  const drift = new DriftWatch(stream);
  for (const record of records) drift.take(record, normalize(record, parent));
  return drift.report();
}

const person = { name: 'P1', showName: 'Li Na', gender: 'female' };
const user = { username: 'u', person: { name: 'P1', showName: 'Li' }, uploadUrl: '', roles: [] };
const role = { name: 'r', showName: '', description: '', createTime: '2024-01-01T00:00:00Z' };
const wholeRole = { ...role, createUsername: '', modifyTime: role.createTime, modifyUsername: '' };

describe('drift', () => {
  it('is none where records are as declared, with or without what the contract does not promise', () => {
    expect(watch(persons, [person, { ...person, organizations: [{ anything: 1 }, 'a/b'] }])).toEqual([
      { table: 'person_organizations', member: 'anything', kind: 'new', count: 1, sample: 1 },
    ]);
    expect(watch(persons, [person])).toEqual([]);
    expect(watch(userDetails, [{ ...user, roles: [wholeRole] }], { username: 'u' })).toEqual([]);
  });

  it('is none without records, and none of records that could not be used', () => {
    expect(watch(persons, [])).toEqual([]);
    expect(watch(persons, [{ more: 1 }, 'text'])).toEqual([]);
  });

  it('names new members with their count and a first sample', () => {
    const records = [{ ...person, wage: 1 }, person, { ...person, wage: 2, 'a.b': null }];
    expect(watch(persons, records)).toEqual([
      { table: 'persons', member: 'a.b', kind: 'new', count: 1, sample: null },
      { table: 'persons', member: 'wage', kind: 'new', count: 2, sample: 1 },
    ]);
  });

  it('names declared members that no record has, which is not the same as null', () => {
    const records = [
      { name: 'P1', gender: null },
      { name: 'P2', gender: null },
    ];
    expect(watch(persons, records)).toEqual([
      { table: 'persons', member: 'showName', kind: 'missing', count: 2, sample: null },
    ]);
  });

  it('names members of another type, and what stands in place of an object', () => {
    const property = { ...wholeProperty, persisted: 'perhaps', bindingInfo: 'x', commonTypeValues: 7 };
    expect(watch(objectProperties, [property, property], { name: 'o' })).toEqual([
      { table: 'object_properties', member: 'bindingInfo', kind: 'retyped', count: 2, sample: 'x' },
      { table: 'object_properties', member: 'commonTypeValues', kind: 'retyped', count: 2, sample: 7 },
      { table: 'object_properties', member: 'persisted', kind: 'retyped', count: 2, sample: 'perhaps' },
    ]);
  });

  it('names members inside of others by their path', () => {
    const records = [{ ...user, person: { name: ['P1'], age: 40 } }];
    expect(watch(userDetails, records, { username: 'u' })).toEqual([
      { table: 'users', member: 'person.showName', kind: 'missing', count: 1, sample: null },
      { table: 'users', member: 'person.age', kind: 'new', count: 1, sample: 40 },
      { table: 'users', member: 'person.name', kind: 'retyped', count: 1, sample: ['P1'] },
    ]);
  });

  it('looks into the entries of parts, and for what they miss only where there are entries', () => {
    const records = [user, { ...user, roles: [{ ...role, modifyTime: 'soon', level: 1 }] }];
    expect(watch(userDetails, records, { username: 'u' })).toEqual([
      { table: 'user_roles', member: 'level', kind: 'new', count: 1, sample: 1 },
      { table: 'roles', member: 'createUsername', kind: 'missing', count: 1, sample: null },
      { table: 'roles', member: 'modifyUsername', kind: 'missing', count: 1, sample: null },
      { table: 'roles', member: 'level', kind: 'new', count: 1, sample: 1 },
      { table: 'roles', member: 'modifyTime', kind: 'retyped', count: 1, sample: 'soon' },
    ]);
  });

  it('misses the list that a part is read from, unless the contract does not promise it', () => {
    expect(watch(orgTreeDetails, [{ name: 'plant' }], { name: 'plant' })).toEqual([
      { table: 'org_trees', member: 'persons', kind: 'missing', count: 1, sample: null },
    ]);
  });

  it('tells a bounded number of members apart', () => {
    const members = Object.fromEntries(Array.from({ length: 600 }, (_, k) => [`member ${k}`, k]));
    const report = watch(persons, [{ ...person, ...members }]);
    expect(report).toHaveLength(501);
    expect(report.find(({ member }) => member === '…')).toMatchObject({ kind: 'new', count: 100 });
  });
});

const wholeProperty = {
  ...{ name: 'p', showName: '', description: '', code: '', primitiveType: 'Double', structType: 0 },
  ...{ persisted: true, logged: true, readonly: false, override: false, range: '', defaultValue: {} },
  ...{ bindingInfo: { source: '', target: '' }, modelLabels: [], commonTypeValues: { fields: [] } },
};
