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
  // JSON.rawJSON would keep the digits too, but Node 20 does not have it.
  const digits: string[] = [];
  const mark = '\uE000int64:';
  const json = JSON.stringify(value, (_, part) => {
    if (typeof part !== 'bigint') return part;
    digits.push(String(part));
    return `${mark}${digits.length - 1}`;
  });
  if (digits.length === 0) return json;
  return json.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, index) => digits[Number(index)] ?? '');
}
