import { isObject } from '../platform/json/is-object.ts';
import { boolean, description, json, position, structType, text } from './columns.ts';
import type { Part, RawRecord } from './define.ts';
import { listOf, numberEntries, readObjects, unwrapDefault } from './entries.ts';
import { ownerObject } from './owner-columns.ts';

/** Services that an object offers (specification: Service, OutputParameter). */
export const objectServices: Part = {
  name: 'object_services',
  about: 'Services that the objects offer, one row for each service of each object.',
  key: ['object', 'service'],
  from: 'services',
  entries: readObjects('services', 'name'),
  // The inputs have a table of their own.
  ignore: ['inputs'],
  columns: [
    ownerObject,
    text('service', {
      source: 'name',
      meaning: 'Name of the service, unique within its object.',
      example: 'reset',
    }),
    position('services of the object'),
    description('service', 'Resets the counters'),
    text('script', { source: 'script', meaning: 'Code of the service.', example: 'me.count = 0;' }),
    boolean('override', {
      source: 'override',
      meaning: 'Whether the object overrides its template here.',
      example: 'false',
    }),
    json('model_labels', {
      source: 'modelLabels',
      meaning: 'Labels that classify the service, a list of texts.',
      example: '["maintenance"]',
    }),
    text('output_name', { source: 'output.name', meaning: 'Name of the result.', example: 'result' }),
    text('output_type', {
      source: 'output.primitiveType',
      meaning: 'Declared data type of the result.',
      example: 'Boolean',
    }),
    structType('output_struct_type', { source: 'output.structType' }),
    text('output_description', {
      source: 'output.description',
      meaning: 'Free description of the result.',
      example: 'Whether it was reset',
    }),
  ],
};

/** Inputs of the services (specification: ServiceInputField, primitiveTypeDefinition). */
export const objectServiceInputs: Part = {
  name: 'object_service_inputs',
  about: 'Inputs of the services, one row for each input of each service.',
  key: ['object', 'service', 'input'],
  from: 'services[].inputs',
  entries: (record) => listOf(record.services).flatMap(readInputs),
  columns: [
    { ...ownerObject, references: 'object_services.object' },
    text('service', {
      source: '#service',
      meaning: 'Name of the service.',
      example: 'reset',
      references: 'object_services.service',
    }),
    text('input', {
      source: 'name',
      meaning: 'Name of the input, unique within its service.',
      example: 'delay',
    }),
    position('inputs of the service'),
    text('primitive_type', {
      source: 'primitiveType',
      meaning: 'Declared data type of the input.',
      example: 'Integer',
    }),
    structType('struct_type', { source: 'structType' }),
    boolean('required', {
      source: 'reqired',
      meaning: 'Whether the input must be given (the platform spells the member reqired).',
      example: 'false',
    }),
    boolean('has_default', {
      source: 'hasDefault',
      meaning: 'Whether the input has a default.',
      example: 'true',
    }),
    json('default_value', {
      source: 'defaultValue',
      meaning: 'Default as a bare JSON value, taken out of {"value": …}; null if the platform states none.',
      example: '0',
    }),
    description('input', 'Seconds to wait'),
    text('definition_name', {
      source: 'primitiveTypeDefinition.name',
      meaning: 'Name of the definition of the data type.',
      example: 'Integer',
    }),
    text('definition_description', {
      source: 'primitiveTypeDefinition.description',
      meaning: 'Free description of the definition.',
      example: 'Whole seconds',
    }),
    boolean('definition_has_default', {
      source: 'primitiveTypeDefinition.hasDefault',
      meaning: 'Whether the definition has a default.',
      example: 'false',
    }),
    json('definition_aspect', {
      source: 'primitiveTypeDefinition.property.aspect',
      meaning: 'Constraints of the data type, such as the least and the greatest value.',
      example: '{"min":0,"max":100}',
    }),
  ],
};

/**
 * Reads the inputs of one service, each with the name of the service. If the service is no object, there are
 * none: the service itself is refused.
 */
function readInputs(service: unknown): unknown[] {
  if (!isObject(service)) return [];
  return numberEntries(listOf(service.inputs), 'name').map((input) =>
    isObject(input) ? withService(input, service.name) : input,
  );
}

function withService(input: RawRecord, service: unknown): RawRecord {
  return { ...unwrapDefault(input), '#service': service };
}
