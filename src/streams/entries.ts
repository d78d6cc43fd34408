import { isObject } from '../platform/json/is-object.ts';
import type { Column, Part, RawRecord, Stream } from './define.ts';

/**
 * The entries of what should be a list: none where there is nothing, and one where it is no list, so that it is either
 * understood as an entry or refused by name, but never dropped.
 */
export function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** What stands behind a path of members; undefined where the way ends before. */
export function readPath(record: RawRecord, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, member) => (isObject(value) ? value[member] : undefined), record);
}

/** Entries that are bare values (labels, features), each with its place. */
export function readValues(member: string): Part['entries'] {
  return (record) => listOf(record[member]).map((value, k) => ({ '#value': value, '#position': k + 1 }));
}

/** Entries that are objects, each with its place; a bare text or number is taken for the member `bareAs`. */
export function readObjects(member: string, bareAs?: string): Part['entries'] {
  return (record) => numberEntries(listOf(record[member]), bareAs);
}

/** Gives each entry its place; what is neither an object nor acceptable as a bare value stays as it is, to be refused by name. */
export function numberEntries(entries: readonly unknown[], bareAs?: string): unknown[] {
  return entries.map((entry, k) => numberEntry(bareAs === undefined ? entry : wrapBare(entry, bareAs), k));
}

/** The same for one entry; `k` counts from 0. */
export function numberEntry(entry: unknown, k: number): unknown {
  return isObject(entry) ? { ...entry, '#position': k + 1 } : entry;
}

/** An object in place of a bare text or number; anything else as it is. */
export function wrapBare(entry: unknown, member: string): unknown {
  return isAlias(entry) ? { [member]: entry } : entry;
}

/** True for what may name something: a text that is not empty, or a number. */
export function isAlias(value: unknown): value is string | number | bigint {
  return (
    (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'bigint'
  );
}

/**
 * A value that the platform wraps: `{"value": 0}` is 0, and `{}` is nothing. An object of another form is kept whole,
 * and so is a value that comes without its wrapping.
 */
export function unwrapValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.keys(value);
  if (members.length === 0) return null;
  return members.length === 1 && members[0] === 'value' ? value.value : value;
}

/** The record with its `defaultValue` unwrapped. */
export function unwrapDefault(record: RawRecord): RawRecord {
  return record.defaultValue === undefined
    ? record
    : { ...record, defaultValue: unwrapValue(record.defaultValue) };
}

/** Names joined into a path: `~` and `/` inside a name are written `~0` and `~1`, so that a path is of one tree only. */
export function joinPath(parent: string | undefined, name: string | number | bigint): string {
  const escaped = escapeName(String(name));
  return parent === undefined ? escaped : `${parent}/${escaped}`;
}

/** A name without slashes, which differs where the names differ: `~` and `/` are written `~0` and `~1`. */
export function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Members of the record that a stream reads: a details stream ignores those of its base. */
export function membersOf({ columns, parts = [], ignore = [] }: Stream): string[] {
  const sources = [...columns.map(({ source }) => source), ...parts.flatMap(({ from }) => from ?? [])];
  const members = sources.filter(isMember).map((source) => source.replace(/[.[].*$/, ''));
  return [...new Set([...members, ...ignore])];
}

/** True for a source that is a member of the record: not the parent's, and not computed. */
export function isMember(source: Column['source']): boolean {
  return !source.startsWith('parent.') && !source.startsWith('#');
}
