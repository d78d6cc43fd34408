import { stringify } from 'lossless-json';

/** A text as the stores can hold it, and whether anything in it had to be replaced. */
export interface CleanText {
  readonly text: string;
  readonly replaced: boolean;
}

/** What stands for a character that a store cannot hold. */
const REPLACEMENT = '\uFFFD';

/** Puts U+FFFD in the place of NUL, which Postgres refuses, and of surrogates without their other half. */
export function cleanText(text: string): CleanText {
  if (text.isWellFormed() && !text.includes('\0')) return { text, replaced: false };
  return { text: text.toWellFormed().replaceAll('\0', REPLACEMENT), replaced: true };
}

/** JSON of any value; big integers are written with all digits. */
export function toJson(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** Longest sample of a reject, in characters of JSON. */
const MAX_SAMPLE = 10_000;

/** What was received, as it is kept with a reject: whole if it is short, else the beginning of its JSON. */
export function sampleOf(value: unknown): unknown {
  try {
    const json = toJson(value);
    return json.length <= MAX_SAMPLE ? value : `${json.slice(0, MAX_SAMPLE)}…`;
  } catch (error) {
    // Nested too deeply to be written.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
