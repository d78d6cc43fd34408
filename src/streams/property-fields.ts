import { isObject } from '../platform/json/is-object.ts';
import { description, position, structType, text } from './columns.ts';
import type { Part, RawRecord } from './define.ts';
import { isAlias, joinPath, listOf, numberEntries, readPath } from './entries.ts';
import { ownerProperty } from './owner-columns.ts';

/**
 * Fields of a structured data type, including fields inside of others (specification: FieldTypeAnonymity,
 * FieldType).
 */
export const propertyFields: Part = {
  name: 'property_fields',
  about:
    'Fields of properties with a structured data type, one row for each field, also for fields inside other fields.',
  key: ['object', 'property', 'field'],
  from: 'commonTypeValues.fields',
  entries: (record) => listFields(readPath(record, 'commonTypeValues.fields')),
  columns: [
    ...ownerProperty('position'),
    text('field', {
      source: '#path',
      meaning:
        'Names of the fields from the outermost down, joined by /; ~ and / inside a name are written ~0 and ~1.',
      example: 'location/latitude',
    }),
    text('name', { source: 'name', meaning: 'Name of the field.', example: 'latitude' }),
    position('fields at the same level'),
    text('primitive_type', {
      source: 'primitiveType',
      meaning: 'Declared data type of the field.',
      example: 'Double',
    }),
    structType('struct_type', { source: 'structType' }),
    description('field', 'Degrees north'),
  ],
};

/**
 * Lists all fields in the order of the platform, each followed by the fields inside it. It keeps a stack,
 * since nothing bounds the depth.
 */
function listFields(fields: unknown): unknown[] {
  const found: unknown[] = [];
  const stack = openLevel(fields, undefined);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { entry, parent } = next;
    if (!isObject(entry)) {
      found.push(entry);
      continue;
    }
    const path = pathOf(entry, parent);
    found.push({ ...withoutFields(entry), '#path': path ?? null });
    for (const inner of openLevel(readPath(entry, 'commonTypeValues.fields'), path ?? null))
      stack.push(inner);
  }
  return found;
}

interface Found {
  readonly entry: unknown;
  /**
   * Path of the field around this one. Undefined for the outermost fields; null if that field has no name.
   */
  readonly parent: string | null | undefined;
}

/** Returns the fields of one level, the last one first, because a stack is read from its end. */
function openLevel(fields: unknown, parent: Found['parent']): Found[] {
  return numberEntries(listOf(fields))
    .map((entry) => ({ entry, parent }))
    .reverse();
}

function pathOf({ name }: RawRecord, parent: Found['parent']): string | undefined {
  return parent === null || !isAlias(name) ? undefined : joinPath(parent, name);
}

/** Returns a field without the list of the fields inside it, which are rows of their own. */
function withoutFields(field: RawRecord): RawRecord {
  const { commonTypeValues, ...rest } = field;
  if (!isObject(commonTypeValues)) return field;
  const { fields: _, ...others } = commonTypeValues;
  return Object.keys(others).length === 0 ? rest : { ...rest, commonTypeValues: others };
}
