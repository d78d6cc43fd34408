import { describe, expect, it } from 'vitest';
import { objectDetails } from '../../src/streams/object-details.ts';
import { objectProperties } from '../../src/streams/object-properties.ts';
import { objects } from '../../src/streams/objects.ts';
import { readRecord } from './read-record.ts';

describe('labels', () => {
  const labelsOf = (modelLabels: unknown) =>
    readRecord(objects, { name: 'pump1', ...(modelLabels !== undefined && { modelLabels }) }).rows
      .object_labels;

  it('are kept letter for letter, in order, and as often as they come', () => {
    const labels = ['hot', 'north,side', 'a"b', '{x}', '', 'hot'];
    expect(labelsOf(labels)).toEqual(labels.map((label, k) => ({ object: 'pump1', position: k + 1, label })));
  });

  it('are none where the list is empty, null or absent', () => {
    expect([labelsOf([]), labelsOf(null), labelsOf(undefined)]).toEqual([[], [], []]);
  });

  it('are one where a text stands in place of the list, and kept in extra where they are no text', () => {
    expect(labelsOf('hot')).toEqual([{ object: 'pump1', position: 1, label: 'hot' }]);
    expect(labelsOf([{ name: 'hot' }, null])).toEqual([
      { object: 'pump1', position: 1, extra: { label: { name: 'hot' } } },
      { object: 'pump1', position: 2 },
    ]);
  });
});

describe('details of an object', () => {
  const read = (record: object) => readRecord(objectDetails, record, { name: 'pump1' });

  it('tell its template, features, events and subscriptions', () => {
    const { rows } = read({
      name: 'pump1',
      showName: 'of the list',
      templateName: 'Pump',
      features: ['f'],
      events: [{ name: 'e', dataStruct: 'D', override: true, modelLabels: ['l'], severity: 1 }],
      subscriptions: [{ name: 's', event: 'e', source: 'pump2', enabled: false, script: 'x();\n' }],
      properties: [{ name: 'temp' }],
    });
    expect(rows).toMatchObject({
      objects: [{ name: 'pump1', template_name: 'Pump' }],
      object_features: [{ object: 'pump1', position: 1, feature: 'f' }],
      object_events: [
        {
          ...{ object: 'pump1', event: 'e', position: 1, data_struct: 'D', override: true },
          ...{ model_labels: ['l'], extra: { severity: 1 } },
        },
      ],
      object_subscriptions: [
        {
          ...{ object: 'pump1', subscription: 's', position: 1, event: 'e', source: 'pump2' },
          ...{ enabled: false, script: 'x();\n' },
        },
      ],
      object_services: [],
      object_service_inputs: [],
    });
    expect(rows.objects?.[0]).not.toHaveProperty('extra');
  });

  it('tell services with their output, and the inputs of all of them', () => {
    const definition = { name: 'Integer', hasDefault: false, property: { aspect: { min: 0 }, unit: 's' } };
    const { rows } = read({
      services: [
        {
          name: 'reset',
          output: { name: 'done', primitiveType: 'Boolean', structType: '1', nullable: true },
          inputs: [
            { name: 'delay', primitiveTypeDefinition: definition, reqired: true, defaultValue: { value: 0 } },
            'bare',
          ],
        },
        { name: 'stop' },
      ],
    });
    expect(rows.object_services).toEqual([
      {
        ...{ object: 'pump1', service: 'reset', position: 1, output_name: 'done', output_type: 'Boolean' },
        ...{ output_struct_type: 1, extra: { output: { nullable: true } } },
      },
      { object: 'pump1', service: 'stop', position: 2 },
    ]);
    expect(rows.object_service_inputs).toEqual([
      {
        ...{
          object: 'pump1',
          service: 'reset',
          input: 'delay',
          position: 1,
          required: true,
          default_value: 0,
        },
        ...{ definition_name: 'Integer', definition_has_default: false, definition_aspect: { min: 0 } },
        extra: { primitiveTypeDefinition: { property: { unit: 's' } } },
      },
      { object: 'pump1', service: 'reset', input: 'bare', position: 2 },
    ]);
  });

  it('refuse single entries by name, as they came', () => {
    const { rows, rejects } = read({
      events: [{ name: 'e' }, { name: null }, 5],
      services: [null, { inputs: [{}] }],
    });
    expect(rows.object_events?.map(({ event }) => event)).toEqual(['e', '5']);
    expect(rejects).toMatchObject([
      { table: 'object_events', reason: expect.stringContaining('no usable name'), sample: { name: null } },
      { table: 'object_services', reason: 'the entry is not an object', sample: null },
      { table: 'object_services', reason: expect.stringContaining('no usable name') },
      { table: 'object_service_inputs', reason: expect.stringContaining('no usable service'), sample: {} },
    ]);
    expect(Object.keys((rejects[0] as { sample: object }).sample)).toEqual(['name']);
  });
});

describe('properties', () => {
  const read = (record: object) =>
    readRecord(objectProperties, { name: 'temp', primitiveType: 'Double', ...record }, { name: 'pump1' });

  it.each([
    [{}, undefined],
    [{ value: 0 }, 0],
    [{ value: '[1,2]' }, '[1,2]'],
    [{ value: [1, 2] }, [1, 2]],
    [{ value: {} }, {}],
    [{ value: null }, undefined],
    [
      { value: 1, unit: 's' },
      { value: 1, unit: 's' },
    ],
    [{ other: 1 }, { other: 1 }],
    [false, false],
    [null, undefined],
    [undefined, undefined],
  ])('have the default %j as %j', (defaultValue, expected) => {
    const record = defaultValue === undefined ? {} : { defaultValue };
    expect(read(record).rows.object_properties?.[0]?.default_value).toEqual(expected);
  });

  it('have the fields of a structured type with their paths, those inside of others too', () => {
    const inner = { name: 'lat/lon~', primitiveType: 'Double', structType: 1 };
    const fields = [
      { name: 'location', commonTypeValues: { fields: [inner, { name: 'alt' }], kind: 'geo' } },
      { name: 'at', description: 'd' },
      { commonTypeValues: { fields: [{ name: 'lost' }] } },
    ];
    const { rows, rejects } = read({ commonTypeValues: { fields, version: 2 } });
    const owner = { object: 'pump1', property: 'temp' };
    expect(rows.property_fields).toEqual([
      {
        ...{ ...owner, field: 'location', name: 'location', position: 1 },
        extra: { commonTypeValues: { kind: 'geo' } },
      },
      {
        ...{ ...owner, field: 'location/lat~1lon~0', name: 'lat/lon~', position: 1 },
        ...{ primitive_type: 'Double', struct_type: 1 },
      },
      { ...owner, field: 'location/alt', name: 'alt', position: 2 },
      { ...owner, field: 'at', name: 'at', position: 2, description: 'd' },
    ]);
    expect(rejects).toMatchObject([
      { table: 'property_fields', sample: {} },
      { table: 'property_fields', sample: { name: 'lost' } },
    ]);
    expect(rows.object_properties?.[0]?.extra).toEqual({ commonTypeValues: { version: 2 } });
  });

  it('have a binding, and keep what is beside it', () => {
    const { rows } = read({ bindingInfo: { source: 's', target: 't', mode: 'pull' } });
    expect(rows.object_properties).toEqual([
      {
        ...{ object: 'pump1', property: 'temp', primitive_type: 'Double' },
        ...{ binding_source: 's', binding_target: 't', extra: { bindingInfo: { mode: 'pull' } } },
      },
    ]);
  });
});
