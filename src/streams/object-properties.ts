import { boolean, description, json, label, position, showName, structType, text } from './columns.ts';
import { defineStream } from './define.ts';
import { readValues, unwrapDefault } from './entries.ts';
import { objects } from './objects.ts';
import { ownerProperty } from './owner-columns.ts';
import { propertyFields } from './property-fields.ts';

/** Properties of the objects, which can have a current value and a history (specification: Property). */
export const objectProperties = defineStream({
  name: 'object_properties',
  about: 'Properties of the objects, one row for each property of each object.',
  operation: 'listObjectProperties',
  parent: { stream: objects, path: { objName: 'name' } },
  filters: {
    modelLabels: { kind: 'texts', meaning: 'Only properties with these labels.' },
    propName: { kind: 'text', meaning: 'Only properties whose alias begins with this text.' },
  },
  key: ['object', 'property'],
  searched: true,
  map: unwrapDefault,
  columns: [
    text('object', {
      source: 'parent.name',
      meaning: 'Alias of the object that has the property.',
      example: 'pump1',
      references: 'objects.name',
    }),
    text('property', {
      source: 'name',
      meaning: 'Alias of the property, unique within its object.',
      example: 'temp',
    }),
    showName('property', 'Temperature'),
    description('property', 'Temperature of the bearing'),
    text('code', { source: 'code', meaning: 'Code of the property.', example: 'T01' }),
    text('primitive_type', {
      source: 'primitiveType',
      meaning: 'Declared data type of the values.',
      example: 'Double',
    }),
    structType('struct_type', { source: 'structType' }),
    boolean('persisted', {
      source: 'persisted',
      meaning: 'Whether the platform persists the values.',
      example: 'true',
    }),
    boolean('logged', {
      source: 'logged',
      meaning: 'Whether the platform logs the values.',
      example: 'true',
    }),
    boolean('readonly', {
      source: 'readonly',
      meaning: 'Whether the value can only be read.',
      example: 'false',
    }),
    boolean('override', {
      source: 'override',
      meaning: 'Whether the object overrides its template here.',
      example: 'false',
    }),
    text('range', {
      source: 'range',
      meaning: 'Range of the values, as the platform states it.',
      example: '0-100',
    }),
    json('default_value', {
      source: 'defaultValue',
      meaning:
        'Default as a bare JSON value, taken out of {"value": …} (as text: default_value #>> \'{}\'); null if the platform states none.',
      example: '0',
    }),
    text('binding_source', {
      source: 'bindingInfo.source',
      meaning: 'Full path of the remote object property that this property is bound to.',
      example: 'gateway/pump1/temp',
    }),
    text('binding_target', {
      source: 'bindingInfo.target',
      meaning: 'Name of the property of this object that is bound.',
      example: 'temp',
    }),
  ],
  parts: [
    {
      name: 'property_labels',
      about: 'Labels of the properties, one row each.',
      key: ['object', 'property', 'position'],
      from: 'modelLabels',
      entries: readValues('modelLabels'),
      columns: [...ownerProperty('temp'), position('labels of the property'), label('property')],
    },
    propertyFields,
  ],
});
