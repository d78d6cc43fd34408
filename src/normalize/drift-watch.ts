import type { Part, RawRecord, Row, Stream, Table } from '../streams/define.ts';
import { rowColumns, tableOf } from '../streams/define.ts';
import type { DriftEntry } from '../streams/drift-entry.ts';
import { follow, isRecord, splitPath } from './members.ts';
import type { Rejected } from './normalize-rows.ts';
import type { NormalizedRecord } from './records.ts';
import { sampleOf } from './text.ts';

/**
 * Each table tells this many undeclared members apart. Records that use a map like members could bring any
 * number of names.
 */
const MAX_MEMBERS = 500;
const OTHERS = '…';

/**
 * Watches the records of one scan for drift: members that are not declared, that never come, or that have
 * another type.
 */
export class DriftWatch {
  readonly #stream: Stream;
  readonly #ofRecords: TableWatch;
  readonly #ofParts: readonly { readonly part: Part; readonly watch: TableWatch }[];

  constructor(stream: Stream) {
    const { parts = [] } = stream;
    const promised = listsIn(parts.filter(({ optional }) => optional === undefined));
    this.#stream = stream;
    // Columns of the list that details may also fill are awaited in the records of the list only.
    const table = { columns: rowColumns(stream) };
    this.#ofRecords = new TableWatch(tableOf(stream), table, [...membersIn(stream), ...promised]);
    this.#ofRecords.declare(listsIn(parts));
    this.#ofParts = parts.map((part) => ({
      part,
      watch: new TableWatch(part.name, part, part.open ? [] : membersIn(part)),
    }));
  }

  /** Takes a record and the rows made of it. A rejected record is passed over. */
  take(record: unknown, normalized: NormalizedRecord | Rejected): void {
    if ('reject' in normalized || !isRecord(record)) return;
    this.#ofRecords.takeRow(normalized.row);
    if (this.#ofRecords.isWaiting) this.#ofRecords.takeMembers(this.#stream.map?.(record) ?? record);
    for (const [k, { part, watch }] of this.#ofParts.entries()) {
      const rows = normalized.parts[k];
      if (rows === undefined || rows.length === 0) continue;
      for (const row of rows) watch.takeRow(row);
      if (!watch.isWaiting) continue;
      for (const entry of part.entries(record) ?? []) if (isRecord(entry)) watch.takeMembers(entry);
    }
  }

  /** Returns the drift that was found, by table, kind and member. */
  report(): DriftEntry[] {
    return [this.#ofRecords, ...this.#ofParts.map(({ watch }) => watch)].flatMap((watch) => watch.report());
  }
}

/** Returns the members that the columns of a table read. */
function membersIn({ columns }: Table): string[] {
  const sources = columns.map(({ source }) => source);
  return sources.filter((source) => !source.startsWith('parent.') && !source.startsWith('#'));
}

/** Returns the members of the record that hold the entries of parts. */
function listsIn(parts: readonly Part[]): string[] {
  return parts.flatMap(({ from }) => from?.replace(/\[.*$/, '') ?? []);
}

interface Met {
  count: number;
  readonly sample: unknown;
}

/** Watches the rows of one table. Any difference is in `extra`, so a row without `extra` costs nothing. */
class TableWatch {
  readonly #table: string;
  /** Position of `extra` in a row. */
  readonly #extraAt: number;
  /** Declared members that no record has had yet. After a few records the map is usually empty. */
  readonly #awaited: Map<string, readonly string[]>;
  readonly #declared: Set<string>;
  readonly #met = { new: new Map<string, Met>(), retyped: new Map<string, Met>() };
  #rows = 0;

  constructor(table: string, { columns }: Pick<Table, 'columns'>, awaited: readonly string[]) {
    this.#table = table;
    this.#extraAt = columns.length;
    this.#declared = new Set(columns.map(({ name, source }) => (source.startsWith('#') ? name : source)));
    this.#awaited = new Map(awaited.map((member) => [member, splitPath(member)]));
  }

  /** Declares further members that are read, though no column holds them. */
  declare(members: readonly string[]): void {
    for (const member of members) this.#declared.add(member);
  }

  /** True if there are declared members that no record has had yet. */
  get isWaiting(): boolean {
    return this.#awaited.size > 0;
  }

  takeRow(row: Row): void {
    this.#rows += 1;
    const extra = row[this.#extraAt] ?? null;
    if (isRecord(extra)) this.#takeExtra(extra, '');
  }

  takeMembers(record: RawRecord): void {
    for (const [member, path] of this.#awaited) {
      const value = follow(record, path);
      // A member counts as met even if something else stands in its path: that is reported as retyped.
      if (value !== undefined) this.#awaited.delete(member);
    }
  }

  report(): DriftEntry[] {
    const entries: DriftEntry[] = [];
    const table = this.#table;
    for (const kind of ['new', 'retyped'] as const)
      for (const [member, { count, sample }] of this.#met[kind])
        entries.push({ table, member, kind, count, sample });
    if (this.#rows > 0)
      for (const member of this.#awaited.keys())
        entries.push({ table, member, kind: 'missing', count: this.#rows, sample: null });
    const order = ({ kind, member }: DriftEntry) => `${kind} ${member}`;
    return entries.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  #takeExtra(extra: RawRecord, prefix: string): void {
    for (const member of Object.keys(extra)) {
      const path = prefix + member;
      const value = extra[member];
      if (this.#declared.has(path)) this.#count('retyped', path, value);
      else if (!this.#leadsOn(path)) this.#count('new', path, value);
      else if (isRecord(value)) this.#takeExtra(value, `${path}.`);
      else this.#count('retyped', path, value);
    }
  }

  /** Returns true if declared members lie inside of this member. */
  #leadsOn(path: string): boolean {
    for (const declared of this.#declared) if (declared.startsWith(`${path}.`)) return true;
    return false;
  }

  #count(kind: 'new' | 'retyped', member: string, value: unknown): void {
    const met = this.#met[kind];
    const name = met.has(member) || met.size < MAX_MEMBERS ? member : OTHERS;
    const known = met.get(name);
    if (known === undefined) met.set(name, { count: 1, sample: sampleOf(value) });
    else known.count += 1;
  }
}
