import { createHash } from 'node:crypto';

/** Records of a stretch of a long list: on average this many, and never more than four times as many. */
const USUAL_RECORDS = 64;
const MOST_RECORDS = 4 * USUAL_RECORDS;
const DIGEST_CHARACTERS = 22;

/** Records that stand together in a list, and their digest. Records without a digest are never known. */
export interface Stretch {
  readonly items: readonly unknown[];
  readonly digest: string | undefined;
}

/**
 * Cuts a long list into stretches where the keys of the records say so, whatever pages they came in. So a
 * record that comes or goes changes its own stretch alone, though all later pages shift.
 */
export class Stretches {
  readonly #keyOf: (record: unknown) => string | undefined;
  #items: unknown[] = [];
  #texts: string[] | undefined = [];

  constructor(keyOf: (record: unknown) => string | undefined) {
    this.#keyOf = keyOf;
  }

  /** Takes the next record. Returns the stretch that ends with the record, if one does. */
  take(record: unknown): Stretch | undefined {
    this.#items.push(record);
    const text = textOf(record);
    if (text === undefined) this.#texts = undefined;
    else this.#texts?.push(text);
    return this.#items.length >= MOST_RECORDS || endsStretch(this.#keyOf(record)) ? this.rest() : undefined;
  }

  /** Returns the records that are left, as the last stretch. */
  rest(): Stretch | undefined {
    if (this.#items.length === 0) return undefined;
    const items = this.#items;
    const digest = this.#texts && digestOf(this.#texts);
    this.#items = [];
    this.#texts = [];
    return { items, digest };
  }
}

/** Tells whether a stretch ends with the record of a key. A random share of all keys ends one. */
function endsStretch(key: string | undefined): boolean {
  if (key === undefined) return false;
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
  return (Math.imul(hash, 0x9e3779b1) >>> 0) % USUAL_RECORDS === 0;
}

function digestOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  // No text of JSON holds a line break, so the texts cannot be divided in another way.
  for (const text of texts) hash.update(text).update('\n');
  return hash.digest('base64').slice(0, DIGEST_CHARACTERS);
}

/** Writes a record as JSON, with every digit. Returns undefined for a record that is nested too deeply. */
function textOf(record: unknown): string | undefined {
  try {
    return JSON.stringify(record);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    return JSON.stringify(record, (_, value) =>
      typeof value === 'bigint' ? { '\0bigint': String(value) } : value,
    );
  }
}
