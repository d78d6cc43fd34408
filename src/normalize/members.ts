import type { RawRecord } from '../streams/define.ts';

/** The members of a record that are known: each with all members inside of it, or with some of them. */
export type KnownMembers = Map<string, KnownMembers | 'whole'>;

/** Stands for a value that cannot be reached, because the path leads through something that is no object. */
export const BLOCKED = Symbol('blocked');

/**
 * Makes the known members from paths like `showName`, `bindingInfo.source` or `services[].inputs`. The last
 * one makes all of `services` known.
 */
export function knowMembers(paths: readonly string[]): KnownMembers {
  const known: KnownMembers = new Map();
  for (const path of paths) {
    const members = splitPath(path.replace(/\[.*$/, ''));
    const last = members.pop() as string;
    let level: KnownMembers | 'whole' = known;
    for (const member of members) {
      if (level === 'whole') break;
      const inner: KnownMembers | 'whole' = level.get(member) ?? new Map();
      level.set(member, inner);
      level = inner;
    }
    if (level !== 'whole') level.set(last, 'whole');
  }
  return known;
}

/** Splits a path into its members. */
export function splitPath(path: string): string[] {
  return path.split('.');
}

/**
 * Returns the value at the end of a path. Returns undefined if the path ends early. Returns `BLOCKED` if it
 * leads through a value that is no object.
 */
export function follow(record: RawRecord, path: readonly string[]): unknown {
  let value: unknown = record;
  for (const member of path) {
    if (value === null || value === undefined) return undefined;
    if (!isRecord(value)) return BLOCKED;
    value = value[member];
  }
  return value;
}

/**
 * Returns the members of a record that are not known, in the same form. Returns undefined if there are none.
 */
export function leaveUnknown(record: RawRecord, known: KnownMembers): Record<string, unknown> | undefined {
  let extra: Record<string, unknown> | undefined;
  for (const member of Object.keys(record)) {
    const inside = known.get(member);
    if (inside === 'whole') continue;
    const value = record[member];
    if (inside !== undefined && (value === null || value === undefined)) continue;
    const left = inside !== undefined && isRecord(value) ? leaveUnknown(value, inside) : value;
    if (left === undefined) continue;
    extra ??= emptyRecord();
    extra[member] = left;
  }
  return extra;
}

/** Puts a value at the end of a path, and makes the objects on the way. */
export function putAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let level = target;
  for (const member of path.slice(0, -1)) {
    // The objects on the way may be the record's own, so they are copied before they change.
    const inner = isRecord(level[member]) ? copyRecord(level[member]) : emptyRecord();
    level[member] = inner;
    level = inner;
  }
  level[path.at(-1) as string] = value;
}

/** Makes an empty record. It has no prototype, so that a member called `__proto__` is one like any other. */
export function emptyRecord(): Record<string, unknown> {
  return Object.create(null);
}

function copyRecord(record: RawRecord): Record<string, unknown> {
  return Object.assign(emptyRecord(), record);
}

/** Returns true for a value that JSON calls an object. */
export function isRecord(value: unknown): value is RawRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
