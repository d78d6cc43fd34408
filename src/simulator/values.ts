/** A value of a property as the plant has it; integers beyond 2^53 are bigints. */
export type Value =
  | string
  | number
  | boolean
  | bigint
  | null
  | readonly Value[]
  | { readonly [member: string]: Value };

/** A record of master data, in the shape the platform shows plus a few members of our own that it hides. */
export interface PlainRecord {
  readonly [member: string]: unknown;
}

/** The record without some of its members. */
export function omit(record: PlainRecord, members: readonly string[]): PlainRecord {
  return Object.fromEntries(Object.entries(record).filter(([member]) => !members.includes(member)));
}

/** The member as a text, empty where it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The members of a list that are texts. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** Narrows an unknown JSON value to an object (not an array). */
export function isRecord(value: unknown): value is PlainRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether one of the texts contains the keyword, whatever the case. */
export function matchesKeyword(keyword: string, texts: readonly unknown[]): boolean {
  const wanted = keyword.toLowerCase();
  return texts.some((text) => typeof text === 'string' && text.toLowerCase().includes(wanted));
}
