import { stringify } from 'lossless-json';
import { MAX_LEVELS } from '../series/nesting.ts';

/** A text that the stores can hold. */
export interface CleanText {
  readonly text: string;
  readonly replaced: boolean;
}

/** The character that replaces one that a store cannot hold. */
const REPLACEMENT = '\uFFFD';

/** Replaces NUL, which Postgres refuses, and lone surrogates by U+FFFD. */
export function cleanText(text: string): CleanText {
  if (text.isWellFormed() && !text.includes('\0')) return { text, replaced: false };
  return { text: text.toWellFormed().replaceAll('\0', REPLACEMENT), replaced: true };
}

/** Writes any value as JSON. Big integers keep all digits. */
export function toJson(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** Longest sample of a reject, in characters of JSON. */
const MAX_SAMPLE = 10_000;

/**
 * Returns a received value as it is kept with a reject: whole if it is short, else the beginning of its JSON.
 * The rest is not read, because a value may be as large as a reply, and nested at any depth.
 */
export function sampleOf(value: unknown): unknown {
  const beginning = new Beginning();
  beginning.write(value, 0);
  return beginning.isWhole ? value : `${beginning.text.slice(0, MAX_SAMPLE)}…`;
}

/** Writes the beginning of the JSON of a value. */
class Beginning {
  text = '';
  #isTooDeep = false;

  get isWhole(): boolean {
    return this.text.length <= MAX_SAMPLE && !this.#isTooDeep;
  }

  write(value: unknown, depth: number): void {
    if (!this.isWhole) return;
    if (typeof value === 'string') this.text += JSON.stringify(value.slice(0, MAX_SAMPLE));
    else if (typeof value !== 'object' || value === null) this.text += toJson(value);
    else if (depth > MAX_LEVELS) this.#isTooDeep = true;
    else if (Array.isArray(value)) this.#writeList(value, depth);
    else this.#writeObject(value, depth);
  }

  #writeList(list: readonly unknown[], depth: number): void {
    this.text += '[';
    for (let k = 0; k < list.length && this.isWhole; k += 1) {
      if (k > 0) this.text += ',';
      this.write(list[k], depth + 1);
    }
    if (this.isWhole) this.text += ']';
  }

  #writeObject(object: object, depth: number): void {
    this.text += '{';
    let count = 0;
    for (const [member, part] of Object.entries(object)) {
      if (!this.isWhole) return;
      this.text += `${count === 0 ? '' : ','}${JSON.stringify(member.slice(0, MAX_SAMPLE))}:`;
      this.write(part, depth + 1);
      count += 1;
    }
    if (this.isWhole) this.text += '}';
  }
}
