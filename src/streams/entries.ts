import { isObject } from '../platform/json/is-object.ts';
import type { Column, Part, RawRecord, Stream } from './define.ts';

/**
 * Returns the entries of a value that should be a list. Returns no entries for null and undefined. Any other
 * value becomes a single entry. So it is understood as an entry or refused by name, but never dropped.
 */
export function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Returns the value at the end of a path of members. Returns undefined if the path ends early. */
export function readPath(record: RawRecord, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, member) => (isObject(value) ? value[member] : undefined), record);
}

/** Makes the reader of entries that are bare values (labels, features). Each gets its place in the list. */
export function readValues(member: string): Part['entries'] {
  return (record) => listOf(record[member]).map((value, k) => ({ '#value': value, '#position': k + 1 }));
}

/**
 * Makes the reader of entries that are objects. Each gets its place in the list. A bare text or number
 * becomes the member `bareAs`.
 */
export function readObjects(member: string, bareAs?: string): Part['entries'] {
  return (record) => numberEntries(listOf(record[member]), bareAs);
}

/**
 * Gives each entry its place in the list. An entry that is no object, and no bare value to wrap, stays as it
 * is, to be refused by name.
 */
export function numberEntries(entries: readonly unknown[], bareAs?: string): unknown[] {
  return entries.map((entry, k) => numberEntry(bareAs === undefined ? entry : wrapBare(entry, bareAs), k));
}

/** Gives one entry its place in the list; `k` counts from 0. An entry that is no object stays as it is. */
export function numberEntry(entry: unknown, k: number): unknown {
  return isObject(entry) ? { ...entry, '#position': k + 1 } : entry;
}

/** Wraps a bare text or number into an object with this member. Returns any other value as it is. */
export function wrapBare(entry: unknown, member: string): unknown {
  return isAlias(entry) ? { [member]: entry } : entry;
}

/** Returns true for a value that may name something: a text that is not empty, or a number. */
export function isAlias(value: unknown): value is string | number | bigint {
  return (
    (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'bigint'
  );
}

/**
 * Unwraps a value of the platform: `{"value": 0}` becomes 0, and `{}` becomes null. An object of another form
 * stays whole, and so does a value without wrapping.
 */
function unwrapValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.keys(value);
  if (members.length === 0) return null;
  return members.length === 1 && members[0] === 'value' ? value.value : value;
}

/** Returns the record with its `defaultValue` unwrapped. */
export function unwrapDefault(record: RawRecord): RawRecord {
  return record.defaultValue === undefined
    ? record
    : { ...record, defaultValue: unwrapValue(record.defaultValue) };
}

/**
 * Joins names into a path. `~` and `/` inside a name are written `~0` and `~1`, so that different names never
 * give the same path.
 */
export function joinPath(parent: string | undefined, name: string | number | bigint): string {
  const escaped = escapeName(String(name));
  return parent === undefined ? escaped : `${parent}/${escaped}`;
}

/**
 * Escapes a name so that it has no slashes: `~` and `/` are written `~0` and `~1`. Different names stay
 * different.
 */
export function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * Lists the members of the record that a stream reads or ignores. A stream of details ignores those of its
 * base.
 */
export function membersOf({ columns, parts = [], ignore = [] }: Stream): string[] {
  const sources = [...columns.map(({ source }) => source), ...parts.flatMap(({ from }) => from ?? [])];
  const members = sources.filter(isMember).map((source) => source.replace(/[.[].*$/, ''));
  return [...new Set([...members, ...ignore])];
}

/** Returns true for a source that is a member of the record: not the parent's, and not computed. */
function isMember(source: Column['source']): boolean {
  return !source.startsWith('parent.') && !source.startsWith('#');
}
