import type { ListOperationId } from '../platform/operations.ts';
import { alarmHistory } from './alarm-records.ts';
import {
  belongsTo,
  nodeBase,
  nodeOf,
  orgBase,
  orgOf,
  personBase,
  personInfo,
  userBase,
} from './people-records.ts';
import { type Filter, type List, mapList } from './plant/collection.ts';
import { networkBase } from './plant/create-networks.ts';
import { isOrdinary, objectBase } from './plant/create-objects.ts';
import type { Plant } from './plant/plant.ts';
import { flagParameter, listParameter, type Query, textParameter } from './query.ts';
import { notFound } from './refused-call.ts';
import type { SimulatorDialect } from './simulator-dialect.ts';
import { matchesKeyword, type PlainRecord, textsOf } from './values.ts';
import { malformList } from './views.ts';
import { type Call, pathParameter, type World } from './world.ts';

/** Returns all records of a list that a request asks for, before a page is cut out. */
export type ListSource = (world: World, call: Call) => List<PlainRecord>;

/** The source of each paged operation. */
export const lists: Record<ListOperationId, ListSource> = {
  listPersons({ plant }, { query }) {
    const includeOrgs = flagParameter(query, 'includeOrgs') ?? false;
    const hasAccount = flagParameter(query, 'hasAccount');
    const [name, showName] = [textParameter(query, 'name'), textParameter(query, 'showName')];
    const filter = filterBy([hasAccount, name, showName], (person) =>
      [
        hasAccount === undefined || (person.username !== undefined) === hasAccount,
        name === undefined || person.name === name,
        showName === undefined || person.showName === showName,
      ].every(Boolean),
    );
    return mapList(plant.persons.list(filter), (person) => personBase(person, includeOrgs));
  },

  listUsers({ plant }, { query }) {
    const filter = keywordFilter(query, ['username', 'email', 'phone', 'userDesc']);
    return mapList(plant.users.list(filter), userBase);
  },

  listOrgs({ plant }, { query }) {
    const [keyword, label] = [textParameter(query, 'keyword'), textParameter(query, 'modelLabel')];
    const filter = filterBy([keyword, label], (org) =>
      [
        fitsKeyword(org, keyword, ['name', 'showName', 'description']),
        label === undefined || textsOf(org.modelLabels).includes(label),
      ].every(Boolean),
    );
    return mapList(plant.orgs.list(filter), orgBase);
  },

  listOrgNodes({ plant }, call) {
    const org = orgOf(plant, pathParameter(call, 'orgName'));
    const filter = keywordFilter(call.query, ['showName', 'name', 'description']);
    return mapList(plant.nodes(org.name).list(filter), nodeBase);
  },

  listOrgPersons({ plant }, call) {
    const org = orgOf(plant, pathParameter(call, 'orgName'));
    const [keyword, node] = [textParameter(call.query, 'keyword'), textParameter(call.query, 'nodeName')];
    if (node !== undefined) nodeOf(plant, org.name, node);
    const filter = filterBy([org.name, keyword, node], (person) =>
      [
        belongsTo(person, org.name, node),
        fitsKeyword(person, keyword, ['showName', 'username', 'description']),
      ].every(Boolean),
    );
    return mapList(plant.persons.list(filter), (person) => personInfo(plant, person));
  },

  listObjects({ plant, dialect }, { query }) {
    return mapList(plant.objects.list(objectFilter(query, dialect)), objectBase);
  },

  listObjectProperties({ plant, dialect }, call) {
    const object = plant.objects.get(pathParameter(call, 'objName'));
    if (!object) throw notFound('object', pathParameter(call, 'objName'));
    const labels = listParameter(call.query, 'modelLabels', dialect.arrayQuery);
    const start = textParameter(call.query, 'propName');
    const filter = filterBy([labels, start], (property) =>
      [hasLabels(property, labels), start === undefined || String(property.name).startsWith(start)].every(
        Boolean,
      ),
    );
    return plant.properties(object.name).list(filter);
  },

  listNetworks: ({ plant }) => mapList(plant.networks.list(), networkBase),

  listAlarmHistory: alarmHistory,
};

/** Returns the records for a request of a list. A malformed plant adds its own. */
export function listFor(world: World, id: ListOperationId, call: Call): List<PlainRecord> {
  const list = lists[id](world, call);
  if (!world.plant.seed.malformed || id === 'listAlarmHistory') return list;
  return malformList(list, id === 'listUsers' ? 'username' : 'name');
}

/** Lists the objects that the list shows to a request without conditions. */
export function ordinaryObjects(plant: Plant): ReturnType<Plant['objects']['list']> {
  return plant.objects.list({ id: 'ordinary', matches: isOrdinary });
}

function objectFilter(query: Query, dialect: SimulatorDialect): Filter<PlainRecord & { name: string }> {
  const templates = listParameter(query, 'templateName', dialect.arrayQuery);
  const labels = listParameter(query, 'modelLabels', dialect.arrayQuery);
  const [keyword, start] = [textParameter(query, 'keyword'), textParameter(query, 'objName')];
  const feature = textParameter(query, 'featureName');
  const conditions = [templates, labels, keyword, start, feature];
  return {
    id: conditions.every((one) => one === undefined || one.length === 0)
      ? 'ordinary'
      : JSON.stringify(conditions),
    matches: (object) =>
      [
        templates.length === 0
          ? isOrdinary(object)
          : object.listed !== false && templates.includes(String(object.templateName ?? '')),
        hasLabels(object, labels),
        fitsKeyword(object, keyword, ['description', 'showName', 'name']),
        start === undefined || object.name.startsWith(start),
        feature === undefined || textsOf(object.features).includes(feature),
      ].every(Boolean),
  };
}

/** Makes a filter whose id tells its conditions. Returns undefined if no condition is set. */
function filterBy(
  conditions: readonly unknown[],
  matches: (record: PlainRecord) => boolean,
): Filter<PlainRecord> | undefined {
  const isSet = conditions.some((one) => one !== undefined && !(Array.isArray(one) && one.length === 0));
  return isSet ? { id: JSON.stringify(conditions.map((one) => one ?? null)), matches } : undefined;
}

function keywordFilter(query: Query, members: readonly string[]): Filter<PlainRecord> | undefined {
  const keyword = textParameter(query, 'keyword');
  return filterBy([keyword], (record) => fitsKeyword(record, keyword, members));
}

function fitsKeyword(record: PlainRecord, keyword: string | undefined, members: readonly string[]): boolean {
  return (
    keyword === undefined ||
    matchesKeyword(
      keyword,
      members.map((member) => record[member]),
    )
  );
}

/** Returns true if a record has one of the labels, or if no label is asked for. */
function hasLabels(record: PlainRecord, labels: readonly string[]): boolean {
  const own = textsOf(record.modelLabels);
  return labels.length === 0 || labels.some((label) => own.includes(label));
}
