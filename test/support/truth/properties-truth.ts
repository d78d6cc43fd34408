import type { Truth } from '../../../src/simulator/truth.ts';
import type { PlainRecord } from '../../../src/simulator/values.ts';
import { cleanKey, labelRows } from './truth-entries.ts';
import { type ExpectedRow, isAskable, pathOf, placedEntries, TruthReader } from './truth-reader.ts';

/**
 * Lists every property of every object whose name can be asked for. The last of several equal names counts,
 * since the others have no rows.
 */
function allProperties(truth: Truth): { object: string; property: PlainRecord }[] {
  const names = [...new Set(truth.records('listObjects').map(({ name }) => name))];
  return names
    .filter(isAskable)
    .map(String)
    .flatMap((object) => {
      const records = truth.records('listObjectProperties', { path: { objName: object } });
      return [...new Map(records.map((property) => [property.name, property])).values()].map((property) => ({
        object,
        property,
      }));
    });
}

export function objectProperties(truth: Truth): ExpectedRow[] {
  return allProperties(truth).map(({ object, property }) => {
    const reader = new TruthReader(property, ['modelLabels', 'commonTypeValues.fields']);
    return {
      object,
      property: reader.text('name'),
      show_name: reader.text('showName'),
      description: reader.text('description'),
      code: reader.text('code'),
      primitive_type: reader.text('primitiveType'),
      struct_type: reader.integer('structType'),
      persisted: reader.boolean('persisted'),
      logged: reader.boolean('logged'),
      readonly: reader.boolean('readonly'),
      override: reader.boolean('override'),
      range: reader.text('range'),
      default_value: reader.wrapped('defaultValue'),
      binding_source: reader.text('bindingInfo.source'),
      binding_target: reader.text('bindingInfo.target'),
      extra: reader.rest(),
    };
  });
}

export function propertyLabels(truth: Truth): ExpectedRow[] {
  return allProperties(truth).flatMap(({ object, property }) =>
    labelRows({ object, property: cleanKey(property.name) }, property.modelLabels),
  );
}

export function propertyFields(truth: Truth): ExpectedRow[] {
  return allProperties(truth).flatMap(({ object, property }) =>
    fieldsIn(property).map(({ names, field, position }) => {
      const reader = new TruthReader(field, ['commonTypeValues.fields']);
      return {
        object,
        property: cleanKey(property.name),
        field: pathOf(names),
        name: reader.text('name'),
        position,
        primitive_type: reader.text('primitiveType'),
        struct_type: reader.integer('structType'),
        description: reader.text('description'),
        extra: reader.rest(),
      };
    }),
  );
}

interface Field {
  readonly names: readonly string[];
  readonly field: PlainRecord;
  readonly position: number;
}

/** Lists the fields of a structured type, each before the fields inside it. */
function fieldsIn({ commonTypeValues }: PlainRecord, above: readonly string[] = []): Field[] {
  return placedEntries((commonTypeValues as PlainRecord | undefined)?.fields).flatMap(([field, position]) => {
    const names = [...above, String(field.name)];
    return [{ names, field, position }, ...fieldsIn(field, names)];
  });
}
