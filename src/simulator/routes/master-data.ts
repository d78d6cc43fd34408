import { ordinaryObjects } from '../list-sources.ts';
import { nodeDetail, nodeOf, orgDetail, orgOf, personInfo, userDetail } from '../people-records.ts';
import { networkChildren } from '../plant/create-networks.ts';
import { objectDetail } from '../plant/create-objects.ts';
import { listParameter, textParameter } from '../query.ts';
import { notFound } from '../refused-call.ts';
import { withTimes } from '../time-format.ts';
import { isRecord } from '../values.ts';
import { isHidden } from '../views.ts';
import { type PromptHandler, pathParameter } from '../world.ts';

export const getPerson: PromptHandler = ({ plant }, call) => {
  const name = pathParameter(call, 'name');
  const person = plant.persons.get(name);
  if (!person) throw notFound('person', name);
  return { body: personInfo(plant, person) };
};

export const getUser: PromptHandler = ({ plant, dialect }, call) => {
  const username = pathParameter(call, 'username');
  const user = plant.users.get(username);
  if (!user) throw notFound('user', username);
  const { roles, ...rest } = userDetail(plant, user);
  const show = (role: unknown) =>
    isRecord(role) ? withTimes(role, dialect.recordTimes, dialect.zone) : role;
  return { body: { ...rest, roles: Array.isArray(roles) ? roles.map(show) : roles } };
};

export const getOrg: PromptHandler = ({ plant }, call) => ({
  body: orgDetail(plant, orgOf(plant, pathParameter(call, 'orgName'))),
});

export const getOrgNode: PromptHandler = ({ plant }, call) => {
  const org = orgOf(plant, pathParameter(call, 'orgName'));
  return { body: nodeDetail(plant, org, nodeOf(plant, org.name, pathParameter(call, 'nodeName'))) };
};

export const getObject: PromptHandler = ({ plant, dialect }, call) => {
  const name = pathParameter(call, 'objName');
  const object = plant.objects.get(name);
  if (!object) throw notFound('object', name);
  const properties = plant.properties(name).list();
  const all = Array.from({ length: properties.length }, (_, index) => properties.at(index));
  return { body: withTimes(objectDetail(plant.seed, object, all), dialect.recordTimes, dialect.zone) };
};

export const getNetwork: PromptHandler = ({ plant, dialect, view }, call) => {
  const name = pathParameter(call, 'networkName');
  const network = plant.networks.get(name);
  if (!network) throw notFound('network', name);
  const source = {
    objects: ordinaryObjects(plant),
    find: (object: string) =>
      view !== undefined && isHidden(plant.seed.seed, object) ? undefined : plant.objects.get(object),
    networkCount: plant.size.networks,
    properties: (object: string) => plant.properties(object).list(),
  };
  const form = {
    recursive: textParameter(call.query, 'recursion') === 'recursion',
    templates: listParameter(call.query, 'templateName', dialect.arrayQuery),
  };
  return { body: { children: view === 'empty' ? [] : networkChildren(source, network, form) } };
};
