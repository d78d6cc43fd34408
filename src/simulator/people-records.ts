import type { NodeRecord, OrgRecord } from './plant/create-orgs.ts';
import type { PersonRecord, UserRecord } from './plant/create-persons.ts';
import type { Plant } from './plant/plant.ts';
import { notFound } from './refused-call.ts';
import { isRecord, omit, type PlainRecord } from './values.ts';

/** A person as the list shows it (PersonBaseInfo), with its organizations if asked for. */
export function personBase(person: PersonRecord, includeOrgs: boolean): PlainRecord {
  return omit(person, includeOrgs ? ['username'] : ['username', 'organizations']);
}

/** A person with account and organizations (PersonInfo, PersonQueryInfo). */
export function personInfo(plant: Plant, person: PersonRecord): PlainRecord {
  const user = person.username === undefined ? undefined : plant.users.get(person.username);
  return { ...omit(person, ['username']), ...(user ? { account: userBase(user) } : {}) };
}

/** A user as the list shows it (UserBaseInfo). */
export function userBase(user: UserRecord): PlainRecord {
  return omit(user, ['personName', 'roles', 'uploadUrl']);
}

/** A user with its person and roles (QueryUser). */
export function userDetail(plant: Plant, user: UserRecord): PlainRecord {
  const person = user.personName === undefined ? undefined : plant.persons.get(user.personName);
  return {
    ...omit(user, ['personName']),
    ...(person ? { person: { name: person.name, showName: person.showName } } : {}),
  };
}

/** A tree by its alias. */
export function orgOf(plant: Plant, name: string): OrgRecord {
  const org = plant.orgs.get(name);
  if (!org) throw notFound('organization', name);
  return org;
}

/** A node of a tree by its alias. */
export function nodeOf(plant: Plant, org: string, name: string): NodeRecord {
  const node = plant.nodes(org).get(name);
  if (!node) throw notFound('organization node', name);
  return node;
}

/** A tree as the list shows it (OrganizationTreeQueryInfo). */
export function orgBase(org: OrgRecord): PlainRecord {
  return omit(org, ['leader', 'persons']);
}

/** A tree with its persons (OrganizationTreeInfo), and with its leaders where it has some. */
export function orgDetail(plant: Plant, org: OrgRecord): PlainRecord {
  return { ...omit(org, ['code']), persons: org.persons ?? personsOf(plant, org.name, undefined) };
}

/** A node as the list shows it (OrganizationNodeDetailInfo). */
export function nodeBase(node: NodeRecord): PlainRecord {
  return omit(node, ['nodes', 'persons']);
}

/** A node with its tree, associated nodes and persons (OrganizationNodeResultDetailInfo). */
export function nodeDetail(plant: Plant, org: OrgRecord, node: NodeRecord): PlainRecord {
  return {
    ...node,
    nodes: node.nodes ?? [],
    persons: node.persons ?? personsOf(plant, org.name, node.name),
    root: org.name,
  };
}

/** The persons of a node, or all persons of a tree: their codes, in awkward plants in several forms. */
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

/** Whether a person belongs to a tree, or to one node of it. */
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
