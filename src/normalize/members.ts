import type { RawRecord } from '../streams/define.ts';

/** Which members of a record are known: with all that is inside, or with some of what is inside. */
export type KnownMembers = Map<string, KnownMembers | 'whole'>;

/** What stands in the way where a path leads through something that is no object. */
export const BLOCKED = Symbol('blocked');

/** Members by paths like `showName`, `bindingInfo.source` or `services[].inputs`, which knows all of `services`. */
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

/** The members of a path. */
export function splitPath(path: string): string[] {
  return path.split('.');
}

/** What stands behind a path: undefined where the way ends before, `BLOCKED` where it leads through something else than an object. */
export function follow(record: RawRecord, path: readonly string[]): unknown {
  let value: unknown = record;
  for (const member of path) {
    if (value === null || value === undefined) return undefined;
    if (!isRecord(value)) return BLOCKED;
    value = value[member];
  }
  return value;
}

/** What a record holds beside the known members, in the same form; undefined if nothing. */
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

/** Puts a value where the path says. */
export function putAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let level = target;
  for (const member of path.slice(0, -1)) {
    // Unlike the record's own objects these are ours to change.
    const inner = isRecord(level[member]) ? copyRecord(level[member]) : emptyRecord();
    level[member] = inner;
    level = inner;
  }
  level[path.at(-1) as string] = value;
}

/** Without a prototype, so that a member called `__proto__` is one like any other. */
export function emptyRecord(): Record<string, unknown> {
  return Object.create(null);
}

function copyRecord(record: RawRecord): Record<string, unknown> {
  return Object.assign(emptyRecord(), record);
}

/** True for what JSON calls an object. */
export function isRecord(value: unknown): value is RawRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
