import { mix } from '../random.ts';
import type { PlainRecord } from '../values.ts';
import { Collection } from './collection.ts';
import { descriptionOf, type PlantSeed } from './names.ts';
import type { PlantSize } from './size.ts';

/** An organization tree as the plant keeps it: OrganizationTreeQueryInfo. */
export interface OrgRecord extends PlainRecord {
  readonly name: string;
}

/** A node of a tree as the plant keeps it: OrganizationNodeDetailInfo. */
export interface NodeRecord extends PlainRecord {
  readonly name: string;
  readonly parent: string;
}

const childrenPerNode = 3;

function orgAlias(index: number): string {
  return index % 2 === 0 ? `org_${index}` : `组织/${index}`;
}

function nodeAlias(org: number, node: number): string {
  return node % 5 === 4 ? `部门 ${org}-${node}` : `node_${org}_${node}`;
}

/** The nodes from a tree's top down to a node. */
function pathTo(node: number): number[] {
  return node < childrenPerNode ? [node] : [...pathTo(Math.floor(node / childrenPerNode) - 1), node];
}

/** The node to which a person belongs, as CorrelationOrganization. */
export function correlationOf(size: PlantSize, person: number): object {
  const org = person % size.orgs;
  if (size.nodesPerOrg === 0) return { nodeName: '', orgName: orgAlias(org), orgPath: orgAlias(org) };
  const node = Math.floor(person / size.orgs) % size.nodesPerOrg;
  const path = pathTo(node).map((step) => nodeAlias(org, step));
  return {
    nodeName: nodeAlias(org, node),
    orgName: orgAlias(org),
    orgPath: [orgAlias(org), ...path].join('/'),
  };
}

/** The organization trees of a plant. */
export function createOrgs(plant: PlantSeed, size: PlantSize): Collection<OrgRecord> {
  const at = (index: number): OrgRecord => ({
    name: orgAlias(index),
    showName: index % 2 === 0 ? `组织树 ${index}` : `Organization ${index}`,
    description: descriptionOf(plant, mix(mix(plant.seed, 31), index)),
    modelLabels: index % 2 === 0 ? ['production', '生产'] : [],
  });
  const indexOf = (name: string) => {
    const index = Number(/\d+$/.exec(name)?.[0] ?? -1);
    return index >= 0 && index < size.orgs && orgAlias(index) === name ? index : -1;
  };
  return new Collection({ count: size.orgs, at, indexOf }, (org) => org.name);
}

/** The nodes of one tree, flat, each with its parent; the parent of the uppermost is the tree itself. */
export function createNodes(plant: PlantSeed, size: PlantSize, org: string): Collection<NodeRecord> {
  const orgIndex = Number(/\d+$/.exec(org)?.[0] ?? -1);
  const known = orgIndex >= 0 && orgIndex < size.orgs && orgAlias(orgIndex) === org;
  const at = (index: number): NodeRecord => ({
    code: `C${orgIndex}-${index}`,
    description: descriptionOf(plant, mix(mix(plant.seed, 32 + orgIndex), index)),
    modelLabels: index % 4 === 0 ? ['department'] : [],
    name: nodeAlias(orgIndex, index),
    parent: index < childrenPerNode ? org : nodeAlias(orgIndex, Math.floor(index / childrenPerNode) - 1),
    sequenceNumber: index + 1,
    showName: index % 3 === 0 ? `部门 ${index}` : `Department ${index}`,
  });
  const count = known ? size.nodesPerOrg : 0;
  const indexOf = (name: string) => {
    const index = Number(/\d+$/.exec(name)?.[0] ?? -1);
    return index >= 0 && index < count && nodeAlias(orgIndex, index) === name ? index : -1;
  };
  return new Collection({ count, at, indexOf }, (node) => node.name);
}
