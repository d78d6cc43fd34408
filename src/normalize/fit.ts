import type { InstantParser } from '../series/instant.ts';
import type { ColumnType, ColumnValue } from '../streams/define.ts';

/** Fits a value to the type of a column. Returns `undefined` if the value does not fit. */
export type Fitter = (value: unknown) => ColumnValue | undefined;

const LARGEST_INT32 = 2 ** 31 - 1;
/** Matches a text that is a decimal number, with or without an exponent. */
export const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Makes the function that fits values to a type. The function takes neither null nor undefined. */
export function createFitter(type: ColumnType, parseInstant: InstantParser): Fitter {
  switch (type) {
    case 'text':
      return (value) => (typeof value === 'object' ? undefined : String(value));
    case 'boolean':
      return fitBoolean;
    case 'integer':
      return fitInt32;
    case 'bigint':
      return fitInteger;
    case 'double precision':
      return fitNumber;
    case 'timestamptz':
      return (value) => {
        const micros = parseInstant(value);
        return Number.isNaN(micros) ? undefined : micros;
      };
    case 'jsonb':
      return (value) => value as ColumnValue;
  }
}

function fitBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 1 || value === '1') return true;
  return value === 'false' || value === 0 || value === '0' ? false : undefined;
}

function fitInteger(value: unknown): number | bigint | undefined {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : undefined;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  return typeof value === 'string' && /^-?\d{1,18}$/.test(value) ? BigInt(value) : undefined;
}

function fitInt32(value: unknown): number | undefined {
  const integer = fitInteger(value);
  if (integer === undefined || integer > LARGEST_INT32 || integer < -LARGEST_INT32 - 1) return undefined;
  return Number(integer);
}

function fitNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
