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
  readonly #shapes: readonly TableShape[];
  readonly #total: DriftTally;
  /** What earlier scans found in entries that did not change since: how often each text was added. */
  readonly #known = new Map<string, number>();

  constructor(stream: Stream) {
    const { parts = [] } = stream;
    const promised = listsIn(parts.filter(({ optional }) => optional === undefined));
    this.#stream = stream;
    // Columns of the list that details may also fill are awaited in the records of the list only.
    const table = { name: tableOf(stream), columns: rowColumns(stream) };
    this.#shapes = [
      shapeOf(table, { awaited: [...membersIn(stream), ...promised], declared: listsIn(parts) }),
      ...parts.map((part) => shapeOf(part, { awaited: part.open ? [] : membersIn(part), declared: [] })),
    ];
    this.#total = this.openTally();
  }

  /** Makes an empty tally, for records whose drift is told apart from that of the others. */
  openTally(): DriftTally {
    return new DriftTally(this.#stream, this.#shapes);
  }

  /** Takes a record and the rows made of it. A rejected record is passed over. */
  take(record: unknown, normalized: NormalizedRecord | Rejected): void {
    this.#total.take(record, normalized);
  }

  /** Adds the drift of the records of a tally. */
  add(tally: DriftTally): void {
    this.#total.add(tally);
  }

  /** Adds the drift of records that an earlier scan has met, as `DriftTally.toText` wrote it then. */
  addKnown(text: string): void {
    this.#known.set(text, (this.#known.get(text) ?? 0) + 1);
  }

  /** Returns the drift that was found, by table, kind and member. */
  report(): DriftEntry[] {
    for (const [text, times] of this.#known) this.#total.addText(text, times);
    this.#known.clear();
    return this.#total.report();
  }
}

/** The drift of some records of a stream. */
export class DriftTally {
  readonly #stream: Stream;
  readonly #tables: readonly TableTally[];

  constructor(stream: Stream, shapes: readonly TableShape[]) {
    this.#stream = stream;
    this.#tables = shapes.map((shape) => new TableTally(shape));
  }

  /** Takes a record and the rows made of it. A rejected record is passed over. */
  take(record: unknown, normalized: NormalizedRecord | Rejected): void {
    if ('reject' in normalized || !isRecord(record)) return;
    const [ofRecords, ...ofParts] = this.#tables as readonly [TableTally, ...TableTally[]];
    ofRecords.takeRow(normalized.row);
    if (ofRecords.isWaiting) ofRecords.takeMembers(this.#stream.map?.(record) ?? record);
    for (const [k, tally] of ofParts.entries()) {
      const rows = normalized.parts[k];
      if (rows === undefined || rows.length === 0) continue;
      for (const row of rows) tally.takeRow(row);
      if (!tally.isWaiting) continue;
      const entries = this.#stream.parts?.[k]?.entries(record) ?? [];
      for (const entry of entries) if (isRecord(entry)) tally.takeMembers(entry);
    }
  }

  add(other: DriftTally): void {
    for (const [k, table] of this.#tables.entries()) table.add((other.#tables[k] as TableTally).counts());
  }

  /** Writes the tally as a short text, without samples. */
  toText(): string {
    const short = ([rows, lacked, met]: TableCounts): TableCounts => [
      rows,
      lacked,
      met.map(([kind, member, count]) => [kind, member, count]),
    ];
    return JSON.stringify(this.#tables.map((table) => short(table.counts())));
  }

  /** Adds the tally that a text stands for, several times. */
  addText(text: string, times: number): void {
    const counts = JSON.parse(text) as TableCounts[];
    for (const [k, table] of this.#tables.entries()) table.add(counts[k] as TableCounts, times);
  }

  report(): DriftEntry[] {
    return this.#tables.flatMap((table) => table.report());
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

/** How the rows of one table should be. */
interface TableShape {
  readonly table: string;
  /** Position of `extra` in a row. */
  readonly extraAt: number;
  /** Declared members that some record should have. */
  readonly awaited: readonly { readonly member: string; readonly path: readonly string[] }[];
  /** Declared members, also those that are read though no column holds them. */
  readonly declared: ReadonlySet<string>;
}

function shapeOf(
  { name, columns }: Pick<Table, 'name' | 'columns'>,
  { awaited, declared }: { awaited: readonly string[]; declared: readonly string[] },
): TableShape {
  const read = columns.map((column) => (column.source.startsWith('#') ? column.name : column.source));
  return {
    table: name,
    extraAt: columns.length,
    awaited: [...new Set(awaited)].map((member) => ({ member, path: splitPath(member) })),
    declared: new Set([...read, ...declared]),
  };
}

type MetKind = 'new' | 'retyped';

interface Met {
  count: number;
  /** A value as received. Undefined if only the ledger has one. */
  sample: unknown;
}

/**
 * What is known of some rows of a table. `lacked` are the places of the awaited members that all of them
 * lack, and `met` the members that are new or retyped.
 */
type TableCounts = readonly [
  rows: number,
  lacked: readonly number[],
  met: readonly (readonly [MetKind, member: string, count: number, sample?: unknown])[],
];

/** Watches rows of one table. Any difference is in `extra`, so a row without `extra` costs nothing. */
class TableTally {
  readonly #shape: TableShape;
  /** Places of the awaited members that no record has had yet. After a few records there are usually none. */
  #lacked: number[];
  #met: Partial<Record<MetKind, Map<string, Met>>> = {};
  #rows = 0;

  constructor(shape: TableShape) {
    this.#shape = shape;
    this.#lacked = [...shape.awaited.keys()];
  }

  /** True if there are declared members that no record has had yet. */
  get isWaiting(): boolean {
    return this.#lacked.length > 0;
  }

  takeRow(row: Row): void {
    this.#rows += 1;
    const extra = row[this.#shape.extraAt] ?? null;
    if (isRecord(extra)) this.#takeExtra(extra, '');
  }

  /** A member counts as met even if something else stands in its path: that is reported as retyped. */
  takeMembers(record: RawRecord): void {
    const { awaited } = this.#shape;
    this.#lacked = this.#lacked.filter((k) => follow(record, awaited[k]?.path ?? []) === undefined);
  }

  counts(): TableCounts {
    const met = (['new', 'retyped'] as const).flatMap((kind) =>
      [...(this.#met[kind] ?? [])].map(
        ([member, { count, sample }]) => [kind, member, count, sample] as const,
      ),
    );
    return [this.#rows, this.#rows === 0 ? [] : this.#lacked, met];
  }

  add([rows, lacked, met]: TableCounts, times = 1): void {
    if (rows === 0) return;
    this.#rows += rows * times;
    if (this.#lacked.length > 0) this.#lacked = this.#lacked.filter((k) => lacked.includes(k));
    for (const [kind, member, count, sample] of met)
      this.#count(kind, member, { count: count * times, sample });
  }

  report(): DriftEntry[] {
    const entries: DriftEntry[] = [];
    const { table, awaited } = this.#shape;
    for (const kind of ['new', 'retyped'] as const)
      for (const [member, { count, sample }] of this.#met[kind] ?? [])
        entries.push({ table, member, kind, count, sample });
    if (this.#rows > 0)
      for (const k of this.#lacked) {
        const { member = '' } = awaited[k] ?? {};
        entries.push({ table, member, kind: 'missing', count: this.#rows, sample: null });
      }
    const order = ({ kind, member }: DriftEntry) => `${kind} ${member}`;
    return entries.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  #takeExtra(extra: RawRecord, prefix: string): void {
    for (const member of Object.keys(extra)) {
      const path = prefix + member;
      const value = extra[member];
      if (this.#shape.declared.has(path)) this.#count('retyped', path, { count: 1, value });
      else if (!this.#leadsOn(path)) this.#count('new', path, { count: 1, value });
      else if (isRecord(value)) this.#takeExtra(value, `${path}.`);
      else this.#count('retyped', path, { count: 1, value });
    }
  }

  /** Returns true if declared members lie inside of this member. */
  #leadsOn(path: string): boolean {
    for (const declared of this.#shape.declared) if (declared.startsWith(`${path}.`)) return true;
    return false;
  }

  /** Counts a member. `value` is a value as received, `sample` one that is already short. */
  #count(kind: MetKind, member: string, found: { count: number; value?: unknown; sample?: unknown }): void {
    this.#met[kind] ??= new Map();
    const met = this.#met[kind];
    const name = met.has(member) || met.size < MAX_MEMBERS ? member : OTHERS;
    const known = met.get(name);
    if (known === undefined)
      met.set(name, { count: found.count, sample: 'value' in found ? sampleOf(found.value) : found.sample });
    else {
      known.count += found.count;
      if (known.sample === undefined) known.sample = found.sample;
    }
  }
}
