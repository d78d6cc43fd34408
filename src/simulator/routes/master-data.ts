import { ordinaryObjects } from '../lists.ts';
import { nodeDetail, nodeOf, orgDetail, orgOf, personInfo, userDetail } from '../people-records.ts';
import { networkChildren } from '../plant/networks.ts';
import { objectDetail } from '../plant/objects.ts';
import { listParameter, textParameter } from '../query.ts';
import { notFound } from '../refusal.ts';
import { withTimes } from '../time-format.ts';
import { type Handler, pathParameter } from '../world.ts';

export const getPerson: Handler = ({ plant }, call) => {
  const name = pathParameter(call, 'name');
  const person = plant.persons.get(name);
  if (!person) throw notFound('person', name);
  return { body: personInfo(plant, person) };
};

export const getUser: Handler = ({ plant }, call) => {
  const username = pathParameter(call, 'username');
  const user = plant.users.get(username);
  if (!user) throw notFound('user', username);
  return { body: userDetail(plant, user) };
};

export const getOrg: Handler = ({ plant }, call) => ({
  body: orgDetail(plant, orgOf(plant, pathParameter(call, 'orgName'))),
});

export const getOrgNode: Handler = ({ plant }, call) => {
  const org = orgOf(plant, pathParameter(call, 'orgName'));
  return { body: nodeDetail(plant, org, nodeOf(plant, org.name, pathParameter(call, 'nodeName'))) };
};

export const getObject: Handler = ({ plant, dialect }, call) => {
  const name = pathParameter(call, 'objName');
  const object = plant.objects.get(name);
  if (!object) throw notFound('object', name);
  const properties = plant.properties(name).list();
  const all = Array.from({ length: properties.length }, (_, index) => properties.at(index));
  return { body: withTimes(objectDetail(object, all), dialect.recordTimes, dialect.zone) };
};

export const getNetwork: Handler = ({ plant, dialect }, call) => {
  const name = pathParameter(call, 'networkName');
  if (!plant.networks.get(name)) throw notFound('network', name);
  const source = {
    objects: ordinaryObjects(plant),
    networkCount: plant.size.networks,
    properties: (object: string) => plant.properties(object).list(),
  };
  const form = {
    recursive: textParameter(call.query, 'recursion') === 'recursion',
    templates: listParameter(call.query, 'templateName', dialect.arrayQuery),
  };
  return { body: { children: networkChildren(source, name, form) } };
};
