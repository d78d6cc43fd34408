import { position, showName, text } from './columns.ts';
import { defineStream, type Part } from './define.ts';
import { readNodeEntries } from './org-paths.ts';

/**
 * Organizations of a person (specification: CorrelationOrganization). Both the list and the details show
 * them.
 */
export const personOrganizations: Part = {
  name: 'person_organizations',
  about: 'Organization nodes that a person belongs to, one row for each, in the order of the platform.',
  key: ['person', 'position'],
  from: 'organizations',
  open: true,
  optional: true,
  namesNodes: true,
  entries: readNodeEntries('organizations'),
  columns: [
    text('person', {
      source: 'parent.name',
      meaning: 'Alias of the person.',
      example: 'P1001',
      references: 'persons.name',
    }),
    position('organizations'),
    text('org', {
      source: 'orgName',
      meaning:
        'Alias of the organization tree. If only a path was sent, the tree of the node with this path, else null.',
      example: 'plant',
      references: 'org_nodes.org',
    }),
    text('node', {
      source: 'nodeName',
      meaning:
        'Alias of the node within the tree. If only a path was sent, the node with this path, else null.',
      example: 'assembly',
      references: 'org_nodes.name',
    }),
    text('org_path', {
      source: 'orgPath',
      meaning: 'Names of the nodes from the root down, with slashes, as the platform writes them.',
      example: 'plant/production/assembly',
    }),
  ],
};

/** People known to the platform (specification: Persons and users, PersonBaseInfo). */
export const persons = defineStream({
  name: 'persons',
  about: 'People known to the platform, one row each.',
  operation: 'listPersons',
  filters: {
    hasAccount: {
      kind: 'boolean',
      meaning: 'true: only persons with a user account; false: only persons without.',
    },
    includeOrgs: {
      kind: 'boolean',
      narrows: false,
      default: true,
      meaning: 'Whether the list tells the organizations of each person.',
    },
    name: { kind: 'text', meaning: 'Only the person with this alias.' },
    showName: { kind: 'text', meaning: 'Only persons of this name.' },
  },
  filled: true,
  key: ['name'],
  columns: [
    text('name', {
      source: 'name',
      meaning: 'Alias of the person, unique on the platform.',
      example: 'P1001',
    }),
    showName('person', 'Li Na'),
    text('gender', {
      source: 'gender',
      meaning: 'Gender of the person, male or female, as the platform states it.',
      example: 'female',
    }),
  ],
  parts: [personOrganizations],
});
