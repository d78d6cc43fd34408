import type { Column, ColumnType } from './define.ts';

type Declared = Omit<Column, 'name' | 'type'>;

function makerOf(type: ColumnType): (name: string, declared: Declared) => Column {
  return (name, declared) => ({ name, type, ...declared });
}

/** These functions make columns, one function for each type. They keep a declaration to a line or two. */
export const text = makerOf('text');
export const integer = makerOf('integer');
export const number = makerOf('double precision');
export const boolean = makerOf('boolean');
export const instant = makerOf('timestamptz');
export const json = makerOf('jsonb');

/** Makes the column for the place of an entry in the list that the platform returns. */
export function position(of: string): Column {
  return integer('position', {
    source: '#position',
    meaning: `Place in the list of ${of}, from 1.`,
    example: '1',
  });
}

/** Makes the column for a label out of a list of texts. */
export function label(of: string): Column {
  return text('label', {
    source: '#value',
    meaning: `Label that classifies the ${of}.`,
    example: 'production',
  });
}

/** Makes the column for the name that people read. */
export function showName(of: string, example: string): Column {
  return text('show_name', { source: 'showName', meaning: `Name of the ${of} as people read it.`, example });
}

/** Makes the column for a free description. */
export function description(of: string, example: string): Column {
  return text('description', { source: 'description', meaning: `Free description of the ${of}.`, example });
}

/** Makes the column for the structure of a data type, which is `0` or `1`. */
export function structType(name: string, declared: Pick<Column, 'source'>): Column {
  return integer(name, { ...declared, meaning: '0 for a basic type, 1 for a list.', example: '0' });
}
