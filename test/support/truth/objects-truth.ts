import type { Truth } from '../../../src/simulator/truth.ts';
import type { PlainRecord } from '../../../src/simulator/values.ts';
import { cleanKey, labelRows, replyOf } from './truth-entries.ts';
import { type ExpectedRow, entriesOf, fillColumns, placedEntries, TruthReader } from './truth-reader.ts';

const detailsOf = (truth: Truth, object: PlainRecord) =>
  replyOf(truth, 'getObject', { objName: object.name });

export function objects(truth: Truth): ExpectedRow[] {
  return truth.records('listObjects').map((object) => {
    const list = new TruthReader(object, ['modelLabels']);
    const details = new TruthReader(detailsOf(truth, object), [
      ...['name', 'modelLabels', 'properties'],
      ...['features', 'events', 'services', 'subscriptions'],
    ]);
    return {
      name: list.text('name'),
      ...fillColumns(list, details, {
        show_name: (row) => row.text('showName'),
        description: (row) => row.text('description'),
        explain: (row) => row.text('explain'),
        code: (row) => row.text('code'),
        icon: (row) => row.text('icon'),
        range: (row) => row.text('range'),
        status: (row) => row.boolean('status'),
        value_stream: (row) => row.text('valueStream'),
        created_at: (row) => row.time('createTime'),
        created_by: (row) => row.text('createUsername'),
      }),
      extra: list.rest(),
      template_name: details.text('templateName'),
      detail_extra: details.rest(),
    };
  });
}

export function objectLabels(truth: Truth): ExpectedRow[] {
  return truth
    .records('listObjects')
    .flatMap((object) => labelRows({ object: cleanKey(object.name) }, object.modelLabels));
}

export function objectFeatures(truth: Truth): ExpectedRow[] {
  return truth.records('listObjects').flatMap((object) =>
    entriesOf(detailsOf(truth, object).features).map((feature, k) => {
      const reader = new TruthReader({ feature });
      return {
        object: cleanKey(object.name),
        position: k + 1,
        feature: reader.text('feature'),
        extra: reader.rest(),
      };
    }),
  );
}

export function objectEvents(truth: Truth): ExpectedRow[] {
  return truth.records('listObjects').flatMap((object) =>
    placedEntries(detailsOf(truth, object).events, 'name').map(([event, position]) => {
      const reader = new TruthReader(event);
      return {
        object: cleanKey(object.name),
        event: reader.text('name'),
        position,
        data_struct: reader.text('dataStruct'),
        description: reader.text('description'),
        override: reader.boolean('override'),
        model_labels: reader.json('modelLabels'),
        extra: reader.rest(),
      };
    }),
  );
}

export function objectServices(truth: Truth): ExpectedRow[] {
  return truth.records('listObjects').flatMap((object) =>
    placedEntries(detailsOf(truth, object).services, 'name').map(([service, position]) => {
      const reader = new TruthReader(service, ['inputs']);
      return {
        object: cleanKey(object.name),
        service: reader.text('name'),
        position,
        description: reader.text('description'),
        script: reader.text('script'),
        override: reader.boolean('override'),
        model_labels: reader.json('modelLabels'),
        output_name: reader.text('output.name'),
        output_type: reader.text('output.primitiveType'),
        output_struct_type: reader.integer('output.structType'),
        output_description: reader.text('output.description'),
        extra: reader.rest(),
      };
    }),
  );
}

export function objectServiceInputs(truth: Truth): ExpectedRow[] {
  return truth.records('listObjects').flatMap((object) =>
    placedEntries(detailsOf(truth, object).services, 'name').flatMap(([service]) =>
      placedEntries(service.inputs, 'name').map(([input, position]) => {
        const reader = new TruthReader(input);
        return {
          object: cleanKey(object.name),
          service: cleanKey(service.name),
          input: reader.text('name'),
          position,
          primitive_type: reader.text('primitiveType'),
          struct_type: reader.integer('structType'),
          required: reader.boolean('reqired'),
          has_default: reader.boolean('hasDefault'),
          default_value: reader.wrapped('defaultValue'),
          description: reader.text('description'),
          definition_name: reader.text('primitiveTypeDefinition.name'),
          definition_description: reader.text('primitiveTypeDefinition.description'),
          definition_has_default: reader.boolean('primitiveTypeDefinition.hasDefault'),
          definition_aspect: reader.json('primitiveTypeDefinition.property.aspect'),
          extra: reader.rest(),
        };
      }),
    ),
  );
}

export function objectSubscriptions(truth: Truth): ExpectedRow[] {
  return truth.records('listObjects').flatMap((object) =>
    placedEntries(detailsOf(truth, object).subscriptions, 'name').map(([subscription, position]) => {
      const reader = new TruthReader(subscription);
      return {
        object: cleanKey(object.name),
        subscription: reader.text('name'),
        position,
        event: reader.text('event'),
        source: reader.text('source'),
        enabled: reader.boolean('enabled'),
        description: reader.text('description'),
        script: reader.text('script'),
        extra: reader.rest(),
      };
    }),
  );
}
