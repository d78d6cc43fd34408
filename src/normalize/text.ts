import { stringify } from 'lossless-json';
import { MAX_LEVELS } from '../series/nesting.ts';

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

/**
 * What was received, as it is kept with a reject: whole if it is short, else the beginning of its JSON. No more of it is looked at: it may
 * be as large as a reply, and nested at any depth.
 */
export function sampleOf(value: unknown): unknown {
  const beginning = new Beginning();
  beginning.write(value, 0);
  return beginning.isWhole ? value : `${beginning.text.slice(0, MAX_SAMPLE)}…`;
}

/** The beginning of the JSON of a value. */
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
