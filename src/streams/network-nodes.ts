import { isObject } from '../platform/json/is-object.ts';
import { description, integer, json, position, showName, text } from './columns.ts';
import { defineStream, type Part } from './define.ts';
import { listOf, numberEntries, unwrapDefault } from './entries.ts';
import { listNetworkNodes, selectTemplates } from './network-tree.ts';
import { networks } from './networks.ts';

/** Properties of a node with their defaults (specification: NetworkObject). */
const networkNodeProperties: Part = {
  name: 'network_node_properties',
  about:
    'Properties that the platform shows with the nodes of a network, one row for each property of each node.',
  key: ['network', 'path', 'property'],
  from: 'properties',
  entries: (record) =>
    numberEntries(listOf(record.properties), 'name').map((entry) =>
      isObject(entry) ? unwrapDefault(entry) : entry,
    ),
  columns: [
    text('network', {
      source: 'parent.network',
      meaning: 'Alias of the network.',
      example: 'factory',
      references: 'network_nodes.network',
    }),
    text('path', {
      source: 'parent.path',
      meaning: 'Path of the node in the network.',
      example: 'line1/pump1',
      references: 'network_nodes.path',
    }),
    text('property', {
      source: 'name',
      meaning: 'Alias of the property of the object at this place.',
      example: 'temp',
    }),
    json('default_value', {
      source: 'defaultValue',
      meaning: 'Default as a bare JSON value, taken out of {"value": …}; null if the platform states none.',
      example: '0',
    }),
  ],
  ignore: ['#position'],
};

/** Objects of a network as a tree (specification: NetworkObjectSearchList). */
export const networkNodes = defineStream({
  name: 'network_nodes',
  about: 'Objects of the networks as a tree, one row for each place of an object in a network.',
  operation: 'getNetwork',
  records: listNetworkNodes,
  parent: { stream: networks, path: { networkName: 'name' } },
  query: { recursion: 'recursion' },
  filters: {
    templateName: {
      kind: 'texts',
      meaning:
        'Only objects of these templates, and the objects above them. The whole network is still read, because a platform that is asked for templates may show their objects at other places.',
      select: selectTemplates,
    },
  },
  key: ['network', 'path'],
  columns: [
    text('network', {
      source: 'parent.name',
      meaning: 'Alias of the network.',
      example: 'factory',
      references: 'networks.name',
    }),
    text('path', {
      source: '#path',
      meaning:
        'Names from the top down to the node, joined by /; ~ and / inside a name are written ~0 and ~1.',
      example: 'line1/pump1',
    }),
    text('name', {
      source: 'name',
      meaning: 'Alias of the object at this place.',
      example: 'pump1',
      references: 'objects.name',
    }),
    text('parent', {
      source: '#parent',
      meaning: 'Alias of the object above; null at the top.',
      example: 'line1',
      references: 'objects.name',
    }),
    text('parent_path', {
      source: '#parentPath',
      meaning: 'Path of the node above; null at the top.',
      example: 'line1',
      references: 'network_nodes.path',
    }),
    integer('depth', { source: '#depth', meaning: 'Level of the node; 1 at the top.', example: '2' }),
    position('nodes below one parent'),
    showName('object', 'Feed pump 1'),
    description('object', 'Feeds the boiler'),
    text('template_name', {
      source: 'templateName',
      meaning: 'Alias of the template that the object is an instance of.',
      example: 'Pump',
    }),
  ],
  parts: [networkNodeProperties],
});
