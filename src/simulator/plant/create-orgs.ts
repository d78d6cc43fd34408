import { mix } from '../random.ts';
import type { PlainRecord } from '../values.ts';
import { Collection } from './collection.ts';
import { descriptionOf, type PlantSeed, personAlias, roughen } from './plant-names.ts';
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

const CHILDREN_PER_NODE = 3;

function orgAlias(index: number): string {
  return index % 2 === 0 ? `org_${index}` : `组织/${index}`;
}

function nodeAlias(org: number, node: number): string {
  return node % 5 === 4 ? `部门/${org}-${node}` : `node_${org}_${node}`;
}

/** Lists the nodes from the top of a tree down to a node. */
function pathTo(node: number): number[] {
  return node < CHILDREN_PER_NODE ? [node] : [...pathTo(Math.floor(node / CHILDREN_PER_NODE) - 1), node];
}

/** Returns the node to which the record of a number belongs, as CorrelationOrganization. */
export function correlationOf(size: PlantSize, number: number): Correlation {
  const org = number % size.orgs;
  if (size.nodesPerOrg === 0) return { nodeName: '', orgName: orgAlias(org), orgPath: orgAlias(org) };
  const node = Math.floor(number / size.orgs) % size.nodesPerOrg;
  const path = pathTo(node).map((step) => nodeAlias(org, step));
  return {
    nodeName: nodeAlias(org, node),
    orgName: orgAlias(org),
    orgPath: [orgAlias(org), ...path].join('/'),
  };
}

/** A node of a tree (CorrelationOrganization). */
export interface Correlation {
  readonly nodeName: string;
  readonly orgName: string;
  readonly orgPath: string;
}

/** Creates the organization trees of a plant. */
export function createOrgs(plant: PlantSeed, size: PlantSize): Collection<OrgRecord> {
  const at = (index: number): OrgRecord => ({
    name: orgAlias(index),
    showName: index % 2 === 0 ? `组织树 ${index}` : `Organization ${index}`,
    description: descriptionOf(plant, mix(mix(plant.seed, 31), index)),
    modelLabels: index % 2 === 0 ? labelsOf(plant, ['production', '生产']) : [],
    // The specification gives a code to nodes only.
    ...(plant.awkward ? { code: `T-${index}` } : {}),
    ...(index % 2 === 0 && size.persons > 0 ? { leader: leadersOf(plant, size, index) } : {}),
  });
  const indexOf = (name: string) => {
    const index = Number(/\d+$/.exec(name)?.[0] ?? -1);
    return index >= 0 && index < size.orgs && orgAlias(index) === name ? index : -1;
  };
  return new Collection({ count: size.orgs, at, indexOf }, (org) => org.name);
}

/**
 * Creates the nodes of one tree, flat, each with its parent. The parent of the uppermost nodes is the tree
 * itself.
 */
export function createNodes(plant: PlantSeed, size: PlantSize, org: string): Collection<NodeRecord> {
  const orgIndex = Number(/\d+$/.exec(org)?.[0] ?? -1);
  const known = orgIndex >= 0 && orgIndex < size.orgs && orgAlias(orgIndex) === org;
  const at = (index: number): NodeRecord => {
    const hash = mix(mix(plant.seed, 32 + orgIndex), index);
    const record: NodeRecord = {
      code: `C${orgIndex}-${index}`,
      description: descriptionOf(plant, hash),
      modelLabels: index % 4 === 0 ? labelsOf(plant, ['department']) : [],
      name: nodeAlias(orgIndex, index),
      parent:
        index < CHILDREN_PER_NODE ? org : nodeAlias(orgIndex, Math.floor(index / CHILDREN_PER_NODE) - 1),
      sequenceNumber: index % 7 === 6 ? -0.5 : index + 1,
      showName: index % 3 === 0 ? `部门 ${index}` : `Department ${index}`,
      nodes: linksOf(plant, size, { org: orgIndex, node: index }),
    };
    return roughen(plant, hash, { record, members: optional });
  };
  const count = known ? size.nodesPerOrg : 0;
  const indexOf = (name: string) => {
    const index = Number(/\d+$/.exec(name)?.[0] ?? -1);
    return index >= 0 && index < count && nodeAlias(orgIndex, index) === name ? index : -1;
  };
  return new Collection({ count, at, indexOf }, (node) => node.name);
}

/** Members that an awkward plant leaves out or fills with values of other types. */
const optional = ['code', 'description', 'sequenceNumber', 'showName'] as const;

function labelsOf({ awkward }: PlantSeed, labels: readonly string[]): string[] {
  return awkward ? [...labels, '', ...labels] : [...labels];
}

/** Lists persons who lead a tree. Awkward plants name some of them by their code alone. */
function leadersOf(plant: PlantSeed, size: PlantSize, org: number): unknown[] {
  const numbers = [org, org + 1].filter((number) => number < size.persons);
  const leaders = numbers.map((number) => personAlias(plant, number));
  return leaders.map((name, place) => (plant.awkward && place > 0 ? name : { name, showName: `L ${name}` }));
}

/**
 * Lists the nodes that a node is associated with: itself, and for one node in three a node of the next tree
 * too.
 */
function linksOf(plant: PlantSeed, size: PlantSize, place: { org: number; node: number }): unknown[] {
  const own = correlationOf(size, place.org + place.node * size.orgs);
  if (place.node % 3 !== 1) return [own];
  const other = correlationOf(size, ((place.org + 1) % size.orgs) + place.node * size.orgs);
  return [own, plant.awkward ? other.orgPath : other];
}
