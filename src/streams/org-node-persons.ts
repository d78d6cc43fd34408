import { defineStream } from './define.ts';
import { orgNodes } from './org-nodes.ts';
import { memberColumns, memberIgnores } from './org-persons.ts';
import { ownerNode } from './owner-columns.ts';

/** Persons of each organization node (specification: Orgs, persons of a tree, with a node's alias). */
export const orgNodePersons = defineStream({
  name: 'org_node_persons',
  about: 'Persons of the organization nodes, one row for each person of each node.',
  operation: 'listOrgPersons',
  parent: { stream: orgNodes, path: { orgName: 'org' }, query: { nodeName: 'name' } },
  filters: {
    keyword: { kind: 'text', meaning: 'Only persons with this text in name, account or description.' },
  },
  key: ['org', 'node', 'person'],
  ignore: memberIgnores,
  columns: [...ownerNode, ...memberColumns],
});
