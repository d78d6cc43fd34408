import type { Truth } from '../../../src/simulator/truth.ts';
import type { PlainRecord } from '../../../src/simulator/values.ts';
import { createNodeNamer } from './node-names-truth.ts';
import { cleanKey, replyOf } from './truth-entries.ts';
import { type ExpectedRow, entriesOf, fillColumns, placedEntries, TruthReader } from './truth-reader.ts';

const listPersons = (truth: Truth) => truth.records('listPersons', { query: { includeOrgs: 'true' } });

export function persons(truth: Truth): ExpectedRow[] {
  return listPersons(truth).map((person) => {
    const list = new TruthReader(person, ['organizations']);
    const details = new TruthReader(replyOf(truth, 'getPerson', { name: person.name }), [
      ...['name', 'organizations'],
    ]);
    return {
      name: list.text('name'),
      ...fillColumns(list, details, {
        show_name: (row) => row.text('showName'),
        gender: (row) => row.text('gender'),
      }),
      extra: list.rest(),
      username: details.text('account.username'),
      account_email: details.text('account.email'),
      account_phone: details.text('account.phone'),
      account_time_zone: details.text('account.timeZone'),
      account_description: details.text('account.userDesc'),
      detail_extra: details.rest(),
    };
  });
}

export function personOrganizations(truth: Truth): ExpectedRow[] {
  const nameNode = createNodeNamer(truth);
  return listPersons(truth).flatMap((person) =>
    placedEntries(entriesOf(person.organizations).map(nameNode)).map(([entry, position]) => {
      const reader = new TruthReader(entry);
      return {
        person: cleanKey(person.name),
        position,
        org: reader.text('orgName'),
        node: reader.text('nodeName'),
        org_path: reader.text('orgPath'),
        extra: reader.rest(),
      };
    }),
  );
}

export function users(truth: Truth): ExpectedRow[] {
  return truth.records('listUsers').map((user) => {
    const list = new TruthReader(user);
    const details = new TruthReader(replyOf(truth, 'getUser', { username: user.username }), [
      ...['username', 'roles'],
    ]);
    return {
      username: list.text('username'),
      ...fillColumns(list, details, {
        email: (row) => row.text('email'),
        phone: (row) => row.text('phone'),
        time_zone: (row) => row.text('timeZone'),
        description: (row) => row.text('userDesc'),
      }),
      extra: list.rest(),
      person: details.text('person.name'),
      person_show_name: details.text('person.showName'),
      avatar_path: details.text('uploadUrl'),
      detail_extra: details.rest(),
    };
  });
}

const describedByRole = [
  'showName',
  'description',
  'createTime',
  'createUsername',
  'modifyTime',
  'modifyUsername',
];

const rolesOf = (truth: Truth, user: PlainRecord) =>
  placedEntries(replyOf(truth, 'getUser', { username: user.username }).roles, 'name');

export function userRoles(truth: Truth): ExpectedRow[] {
  return truth.records('listUsers').flatMap((user) =>
    rolesOf(truth, user).map(([role, position]) => {
      const reader = new TruthReader(role, describedByRole);
      return {
        username: cleanKey(user.username),
        role: reader.text('name'),
        position,
        extra: reader.rest(),
      };
    }),
  );
}

export function roles(truth: Truth): ExpectedRow[] {
  return truth.records('listUsers').flatMap((user) =>
    rolesOf(truth, user).map(([role]) => {
      const reader = new TruthReader(role);
      return {
        name: reader.text('name'),
        show_name: reader.text('showName'),
        description: reader.text('description'),
        created_at: reader.time('createTime'),
        created_by: reader.text('createUsername'),
        modified_at: reader.time('modifyTime'),
        modified_by: reader.text('modifyUsername'),
        extra: reader.rest(),
      };
    }),
  );
}
