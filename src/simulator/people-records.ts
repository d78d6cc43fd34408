import type { NodeRecord, OrgRecord } from './plant/create-orgs.ts';
import type { PersonRecord, UserRecord } from './plant/create-persons.ts';
import type { Plant } from './plant/plant.ts';
import { notFound } from './refused-call.ts';
import { isRecord, omit, type PlainRecord } from './values.ts';

/** Returns a person as the list shows it (PersonBaseInfo), with its organizations if they are asked for. */
export function personBase(person: PersonRecord, includeOrgs: boolean): PlainRecord {
  return omit(person, includeOrgs ? ['username'] : ['username', 'organizations']);
}

/** Returns a person with account and organizations (PersonInfo, PersonQueryInfo). */
export function personInfo(plant: Plant, person: PersonRecord): PlainRecord {
  const user = person.username === undefined ? undefined : plant.users.get(person.username);
  return { ...omit(person, ['username']), ...(user ? { account: userBase(user) } : {}) };
}

/** Returns a user as the list shows it (UserBaseInfo). */
export function userBase(user: UserRecord): PlainRecord {
  return omit(user, ['personName', 'roles', 'uploadUrl']);
}

/** Returns a user with its person and roles (QueryUser). */
export function userDetail(plant: Plant, user: UserRecord): PlainRecord {
  const person = user.personName === undefined ? undefined : plant.persons.get(user.personName);
  return {
    ...omit(user, ['personName']),
    ...(person ? { person: { name: person.name, showName: person.showName } } : {}),
  };
}

/** Finds a tree by its alias. Throws "not found" if there is no such tree. */
export function orgOf(plant: Plant, name: string): OrgRecord {
  const org = plant.orgs.get(name);
  if (!org) throw notFound('organization', name);
  return org;
}

/** Finds a node of a tree by its alias. Throws "not found" if there is no such node. */
export function nodeOf(plant: Plant, org: string, name: string): NodeRecord {
  const node = plant.nodes(org).get(name);
  if (!node) throw notFound('organization node', name);
  return node;
}

/** Returns a tree as the list shows it (OrganizationTreeQueryInfo). */
export function orgBase(org: OrgRecord): PlainRecord {
  return omit(org, ['leader', 'persons']);
}

/** Returns a tree with its persons (OrganizationTreeInfo), and with its leaders if it has some. */
export function orgDetail(plant: Plant, org: OrgRecord): PlainRecord {
  return { ...omit(org, ['code']), persons: org.persons ?? personsOf(plant, org.name, undefined) };
}

/** Returns a node as the list shows it (OrganizationNodeDetailInfo). */
export function nodeBase(node: NodeRecord): PlainRecord {
  return omit(node, ['nodes', 'persons']);
}

/** Returns a node with its tree, associated nodes and persons (OrganizationNodeResultDetailInfo). */
export function nodeDetail(plant: Plant, org: OrgRecord, node: NodeRecord): PlainRecord {
  return {
    ...node,
    nodes: node.nodes ?? [],
    persons: node.persons ?? personsOf(plant, org.name, node.name),
    root: org.name,
  };
}

/**
 * Lists the persons of a node, or all persons of a tree, by their codes. In awkward plants the codes have
 * several forms.
 */
function personsOf(plant: Plant, org: string, node: string | undefined): unknown[] {
  const persons = plant.persons.list({
    id: JSON.stringify(['members', org, node ?? null]),
    matches: (person) => belongsTo(person, org, node),
  });
  return Array.from({ length: persons.length }, (_, index) => {
    const { name, showName } = persons.at(index);
    if (!plant.seed.awkward) return { name };
    if (index % 3 === 0) return { name, showName };
    return index % 3 === 1 ? name : { code: name };
  });
}

/** Returns true if a person belongs to a tree, or to one node of it. */
export function belongsTo({ organizations }: PlainRecord, org: string, node: string | undefined): boolean {
  return (
    Array.isArray(organizations) &&
    organizations.some((one) => {
      if (typeof one === 'string')
        return one.startsWith(`${org}/`) && (node === undefined || one.endsWith(`/${node}`));
      return isRecord(one) && one.orgName === org && (node === undefined || one.nodeName === node);
    })
  );
}
