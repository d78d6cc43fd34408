/** A value of a property as the plant has it. Integers beyond 2^53 are bigints. */
export type Value =
  | string
  | number
  | boolean
  | bigint
  | null
  | readonly Value[]
  | { readonly [member: string]: Value };

/**
 * A record of master data in the shape that the platform shows. Some members are our own, and hidden by the
 * platform.
 */
export interface PlainRecord {
  readonly [member: string]: unknown;
}

/** Returns the record without some of its members. */
export function omit(record: PlainRecord, members: readonly string[]): PlainRecord {
  return Object.fromEntries(Object.entries(record).filter(([member]) => !members.includes(member)));
}

/** Returns the members of a list that are texts. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** Returns true if a JSON value is an object, and no array. */
export function isRecord(value: unknown): value is PlainRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns true if one of the texts contains the keyword, in capital or small letters. */
export function matchesKeyword(keyword: string, texts: readonly unknown[]): boolean {
  const wanted = keyword.toLowerCase();
  return texts.some((text) => typeof text === 'string' && text.toLowerCase().includes(wanted));
}
