import type { Truth } from '../../../src/simulator/truth.ts';
import type { PlainRecord } from '../../../src/simulator/values.ts';
import { allNodes, createNodeNamer, namesTo, parentsOf } from './node-names-truth.ts';
import { cleanKey, labelRows, replyOf } from './truth-entries.ts';
import {
  type ExpectedRow,
  entriesOf,
  fillColumns,
  isAskable,
  pathOf,
  placedEntries,
  TruthReader,
} from './truth-reader.ts';

export function orgTrees(truth: Truth): ExpectedRow[] {
  return truth.records('listOrgs').map((org) => {
    const list = new TruthReader(org, ['modelLabels']);
    const details = new TruthReader(replyOf(truth, 'getOrg', { orgName: org.name }), [
      ...['name', 'modelLabels', 'persons', 'leader'],
    ]);
    return {
      name: list.text('name'),
      ...fillColumns(list, details, {
        show_name: (row) => row.text('showName'),
        description: (row) => row.text('description'),
        code: (row) => row.text('code'),
      }),
      extra: list.rest(),
      detail_extra: details.rest(),
    };
  });
}

export function orgTreeLabels(truth: Truth): ExpectedRow[] {
  return truth.records('listOrgs').flatMap((org) => labelRows({ org: cleanKey(org.name) }, org.modelLabels));
}

const orgPeople = (truth: Truth, member: 'persons' | 'leader'): ExpectedRow[] =>
  truth
    .records('listOrgs')
    .flatMap((org) =>
      personRows({ org: cleanKey(org.name) }, replyOf(truth, 'getOrg', { orgName: org.name })[member]),
    );

export const orgTreePersons = (truth: Truth) => orgPeople(truth, 'persons');
export const orgTreeLeaders = (truth: Truth) => orgPeople(truth, 'leader');

export function orgNodes(truth: Truth): ExpectedRow[] {
  const all = allNodes(truth);
  const parents = parentsOf(all);
  return all.map(({ org, node }) => {
    const list = new TruthReader(node, ['modelLabels']);
    const details = new TruthReader(replyOf(truth, 'getOrgNode', { orgName: org, nodeName: node.name }), [
      ...['modelLabels', 'name', 'nodes', 'persons'],
    ]);
    const names = namesTo(org, cleanKey(node.name), parents);
    return {
      org,
      name: list.text('name'),
      ...fillColumns(list, details, {
        parent: (row) => row.text('parent'),
        code: (row) => row.text('code'),
        sequence_number: (row) => row.number('sequenceNumber'),
        show_name: (row) => row.text('showName'),
        description: (row) => row.text('description'),
      }),
      extra: list.rest(),
      path: names && pathOf(names),
      depth: names && names.length - 1,
      root: details.text('root'),
      detail_extra: details.rest(),
    };
  });
}

export function orgNodeLabels(truth: Truth): ExpectedRow[] {
  return allNodes(truth).flatMap(({ org, node }) =>
    labelRows({ org, node: cleanKey(node.name) }, node.modelLabels),
  );
}

export function orgNodeLinks(truth: Truth): ExpectedRow[] {
  const nameNode = createNodeNamer(truth);
  return allNodes(truth).flatMap(({ org, node }) => {
    const { nodes } = replyOf(truth, 'getOrgNode', { orgName: org, nodeName: node.name });
    return placedEntries(entriesOf(nodes).map(nameNode)).map(([entry, position]) => {
      const reader = new TruthReader(entry);
      return {
        org,
        node: cleanKey(node.name),
        position,
        linked_org: reader.text('orgName'),
        linked_node: reader.text('nodeName'),
        linked_path: reader.text('orgPath'),
        extra: reader.rest(),
      };
    });
  });
}

export function orgNodePersonCodes(truth: Truth): ExpectedRow[] {
  return allNodes(truth).flatMap(({ org, node }) =>
    personRows(
      { org, node: cleanKey(node.name) },
      replyOf(truth, 'getOrgNode', { orgName: org, nodeName: node.name }).persons,
    ),
  );
}

export function orgPersons(truth: Truth): ExpectedRow[] {
  const orgs = [...new Set(truth.records('listOrgs').map(({ name }) => name))].filter(isAskable).map(String);
  return orgs.flatMap((org) =>
    truth
      .records('listOrgPersons', { path: { orgName: org } })
      .map((person) => ({ org, ...memberColumns(person) })),
  );
}

export function orgNodePersons(truth: Truth): ExpectedRow[] {
  return allNodes(truth).flatMap(({ org, node }) =>
    isAskable(node.name)
      ? truth
          .records('listOrgPersons', { path: { orgName: org }, query: { nodeName: String(node.name) } })
          .map((person) => ({ org, node: String(node.name), ...memberColumns(person) }))
      : [],
  );
}

function memberColumns(person: PlainRecord): ExpectedRow {
  const reader = new TruthReader(person, ['account', 'organizations']);
  return {
    person: reader.text('name'),
    show_name: reader.text('showName'),
    gender: reader.text('gender'),
    username: reader.text('account.username'),
    extra: reader.rest(),
  };
}

/** Returns the rows of persons who are named by their alias alone, or in the member `code` or `name`. */
function personRows(owner: ExpectedRow, persons: unknown): ExpectedRow[] {
  return placedEntries(persons, 'code').map(([entry]) => {
    const reader = new TruthReader(entry);
    return {
      ...owner,
      person: reader.text('code' in entry ? 'code' : 'name'),
      show_name: reader.text('showName'),
      extra: reader.rest(),
    };
  });
}
