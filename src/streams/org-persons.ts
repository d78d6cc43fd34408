import { showName, text } from './columns.ts';
import { type Column, defineStream } from './define.ts';
import { orgTrees } from './org-trees.ts';
import { ownerTree } from './owner-columns.ts';

/** Columns of a person, as the lists of an organization show a person (specification: PersonInfo). */
export const memberColumns: readonly Column[] = [
  text('person', {
    source: 'name',
    meaning: 'Alias of the person.',
    example: 'P1001',
    references: 'persons.name',
  }),
  showName('person', 'Li Na'),
  text('gender', {
    source: 'gender',
    meaning: 'Gender of the person, male or female, as the platform states it.',
    example: 'female',
  }),
  text('username', {
    source: 'account.username',
    meaning: 'User account of the person; null if the person has no account.',
    example: 'lina',
    references: 'users.username',
  }),
];

/** Members of a person that other tables hold: those of persons and users. */
export const memberIgnores = ['account', 'organizations'];

/** Persons of each organization tree (specification: Orgs, persons of a tree). */
export const orgPersons = defineStream({
  name: 'org_persons',
  about: 'Persons of the organization trees, one row for each person of each tree.',
  operation: 'listOrgPersons',
  parent: { stream: orgTrees, path: { orgName: 'name' } },
  filters: {
    keyword: { kind: 'text', meaning: 'Only persons with this text in name, account or description.' },
  },
  key: ['org', 'person'],
  ignore: memberIgnores,
  columns: [ownerTree, ...memberColumns],
});
