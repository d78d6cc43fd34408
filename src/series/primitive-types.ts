/** Declared types whose values are numbers, in lower case. */
export const numericTypes: readonly string[] = [
  'double',
  'float',
  'decimal',
  'number',
  'numeric',
  'real',
  'int',
  'integer',
  'long',
  'short',
  'byte',
  'bigint',
  'int64',
  'int32',
];

/** Declared types whose values are true and false, in lower case. */
export const booleanTypes: readonly string[] = ['boolean', 'bool'];

/** Returns true for a declared type whose values are numbers. */
export function isNumeric(primitiveType: string): boolean {
  return numericTypes.includes(primitiveType.toLowerCase());
}

/** Returns true for a type whose values may be numbers: one of numbers, or none that is declared. */
export function mayHoldNumbers(primitiveType: string | null): boolean {
  return primitiveType === null || isNumeric(primitiveType);
}

/** Returns true for a declared type whose values are true and false. */
export function isBoolean(primitiveType: string | null): boolean {
  return primitiveType !== null && booleanTypes.includes(primitiveType.toLowerCase());
}
