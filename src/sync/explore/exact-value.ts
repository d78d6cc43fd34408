import { isBoolean } from '../../series/primitive-types.ts';
import type { Series } from '../../series/types.ts';

/** A value with all digits that are stored. */
export interface ExactValue {
  readonly kind: 'number' | 'boolean' | 'text';
  /** Digits, `true` or `false`, or the text itself. */
  readonly text: string;
}

/**
 * Returns the value of a stored point with all its digits. An integer beyond 2^53 is stored as the nearest
 * number, and as a text with all digits. Returns undefined if the point has no value.
 */
export function exactValue(
  { primitiveType }: Pick<Series, 'primitiveType'>,
  value: number | null,
  text: string | null,
): ExactValue | undefined {
  if (value === null) return text === null ? undefined : { kind: 'text', text };
  if (isBoolean(primitiveType) && (value === 0 || value === 1))
    return { kind: 'boolean', text: value === 1 ? 'true' : 'false' };
  return { kind: 'number', text: text ?? digitsOf(value) };
}

function digitsOf(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
