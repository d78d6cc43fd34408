import { MAX_LEVELS } from '../series/nesting.ts';
import type { ColumnValue } from '../streams/define.ts';
import { cleanText } from './text.ts';

/** Larger integers are kept as text, because the numbers of `jsonb` end at 131,072 digits. */
const LARGEST_NUMBER = 10n ** 1_000n;

/**
 * Replaces the characters that Postgres cannot hold in any text inside a value. Throws a `RangeError` if the
 * value is nested too deeply.
 */
export function clean(value: ColumnValue, onReplace: () => void): ColumnValue {
  if (typeof value === 'string') {
    const { text, replaced } = cleanText(value);
    if (replaced) onReplace();
    return text;
  }
  if (typeof value !== 'object' || value === null) return value;
  let touched = false;
  const cleaned = cleanDeep(value, () => {
    touched = true;
  });
  if (touched) onReplace();
  return cleaned as object;
}

function cleanDeep(value: unknown, onReplace: () => void, depth = 0): unknown {
  if (typeof value === 'string') return clean(value, onReplace);
  if (depth > MAX_LEVELS) throw new RangeError(`the entry is nested deeper than ${MAX_LEVELS} levels`);
  if (typeof value === 'bigint' && (value > LARGEST_NUMBER || value < -LARGEST_NUMBER)) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => cleanDeep(part, onReplace, depth + 1));
  const cleaned: Record<string, unknown> = Object.create(null);
  for (const [member, part] of Object.entries(value))
    cleaned[clean(member, onReplace) as string] = cleanDeep(part, onReplace, depth + 1);
  return cleaned;
}
