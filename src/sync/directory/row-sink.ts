import { randomUUID } from 'node:crypto';
import type { Reject } from '../../ledger/rejects/rejects.ts';
import { type LoadResult, loadRows } from '../../load/rows/load-rows.ts';
import { type RowTarget, targetsOf } from '../../load/rows/row-targets.ts';
import { type DriftTally, DriftWatch } from '../../normalize/drift-watch.ts';
import { createKeyNormalizer } from '../../normalize/normalize-rows.ts';
import { createRecordNormalizer, type NormalizedRecord } from '../../normalize/records.ts';
import { sampleOf } from '../../normalize/text.ts';
import { readAhead } from '../../read-ahead.ts';
import type { ColumnValue, RawRecord, Stream } from '../../streams/define.ts';
import type { FindNode } from '../../streams/node-finder.ts';
import { createKeyReader, createRecordKeyReader, keyText } from '../../streams/row-key.ts';
import type { SyncContext } from '../context.ts';
import type { RunSummary } from '../run-summary.ts';
import { traceRows } from '../spans.ts';
import { askerOf, settingsOf } from '../stream-settings.ts';
import type { KnownList, KnownLists } from './known-lists.ts';
import type { Unit } from './list-content.ts';
import { noteLists } from './note-lists.ts';
import { type ListOwner, OpenList, type Parcel } from './open-list.ts';
import { type BatchPlan, makeBatches } from './row-batches.ts';

/** Rows, and their bytes, that are loaded in one transaction. */
const CHUNK_ROWS = 5_000;
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Lists that are loaded in one transaction, so that a scan that is interrupted often makes progress. */
const CHUNK_LISTS = 250;
/** Unchanged lists that are noted in one transaction, which writes nothing else of them. */
const CHUNK_UNCHANGED = 5_000;
/** Chunks that may wait for Postgres before the sink takes no more records. */
const MAX_WAITING = 2;
/** Records per run that the log names for replaced characters or retyped values. */
const MAX_NOTES = 20;

export interface RowSinkOptions {
  readonly summary: RunSummary;
  /** Finds the organization node of a path. Undefined if the records of the stream name no nodes. */
  readonly findNode: FindNode | undefined;
  /** What the lists of the stream held when they were last loaded. */
  readonly lists: KnownLists;
  /** Names of the tables that are empty. */
  readonly emptyTables?: ReadonlySet<string>;
}

/**
 * Normalizes the records of one stream, and loads their rows in chunks. A record that cannot be a row is kept
 * as a reject.
 */
export class RowSink {
  readonly drift: DriftWatch;
  readonly #ctx: SyncContext;
  readonly #stream: Stream;
  readonly #summary: RunSummary;
  readonly #normalize: ReturnType<typeof createRecordNormalizer>;
  readonly #keyOfRecord: ReturnType<typeof createKeyNormalizer>;
  readonly #divideBy: (record: unknown) => string | undefined;
  readonly #plan: BatchPlan;
  readonly #lists: KnownLists;
  /** Begins the name of every load, so that no other sink has the same names. */
  readonly #loadPrefix = randomUUID();
  #loads = 0;
  #parcels: Parcel[] = [];
  #rows = 0;
  #bytes = 0;
  #rejects: Reject[] = [];
  #unchanged: string[] = [];
  #notes = 0;
  /** True if a record may have been loaded twice, so that loaded rows and rows are not the same number. */
  #loadsTwice = false;
  /**
   * The last load. Loads follow each other: two chunks of one table would only wait for each other's rows.
   */
  #loading: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(
    ctx: SyncContext,
    stream: Stream,
    { summary, findNode, lists, emptyTables = new Set() }: RowSinkOptions,
  ) {
    const { keepRaw, filter } = settingsOf(ctx.config, stream);
    this.#ctx = ctx;
    this.#stream = stream;
    this.#summary = summary;
    this.#normalize = createRecordNormalizer(stream, {
      parseInstant: ctx.parseInstant,
      keepRaw,
      findNode,
    });
    this.#keyOfRecord = createKeyNormalizer(stream, ctx);
    this.#divideBy = createRecordKeyReader(stream);
    this.#lists = lists;
    this.#plan = {
      stream,
      keyOf: createKeyReader(stream),
      targets: targetsOf(stream, { keepRaw, filter }),
      emptyTables: new Set(emptyTables),
      missesAtMost: ctx.config.limits.deleteAfterMissing,
    };
    this.drift = new DriftWatch(stream);
  }

  /**
   * Opens a list, which takes the records of its owner if it has one. Rows that the list lacks have missed a
   * scan, unless `countsMisses` is false. Then all rows are compared, too.
   */
  async open(owner?: ListOwner, { countsMisses = true }: { countsMisses?: boolean } = {}): Promise<OpenList> {
    return this.#open(owner, await this.#lists.find(owner), countsMisses);
  }

  /** Opens the list of each owner, one after the other as they are asked for. */
  async *openEach<Owner extends ListOwner>(
    owners: readonly Owner[],
  ): AsyncGenerator<{ owner: Owner; list: OpenList }> {
    for await (const portion of readAhead(this.#lists.findEach(owners)))
      for (const { owner, known } of portion) yield { owner, list: this.#open(owner, known) };
  }

  #open(owner: ListOwner | undefined, known: KnownList, countsMisses = true): OpenList {
    return new OpenList({
      owner,
      known: countsMisses ? known : { ...known, content: undefined, seal: undefined },
      normalize: (record, parent, tally) => this.#take(record, parent, tally),
      keyOf: ({ row }) => this.#plan.keyOf(row),
      keyOfRecord: this.#keyOfRecord,
      divideBy: owner === undefined ? this.#divideBy : undefined,
      openTally: () => this.drift.openTally(),
      takeDrift: (tally) => this.drift.add(tally),
      takeKnown: (unit) => this.#takeKnown(unit),
      take: (parcel) => this.#add(parcel),
      nowSec: this.#lists.nowSec,
      nameLoad: () => {
        this.#loads += 1;
        return `${this.#loadPrefix}${this.#loads}`;
      },
      noteTwice: () => {
        this.#loadsTwice = true;
      },
      toleratesKeyless: askerOf(this.#stream) !== undefined,
      countsMisses,
    });
  }

  /**
   * Returns the number of rows that the lists so far have. Returns undefined if the records do not tell,
   * because some came twice or were refused.
   */
  countRows(): number | undefined {
    const { rejects, inserted, updated, unchanged } = this.#summary;
    return this.#loadsTwice || rejects > 0 ? undefined : inserted + updated + unchanged;
  }

  /** Loads the collected records. Resolves when everything taken so far is in Postgres. */
  async flush(): Promise<void> {
    const chunk = { parcels: this.#parcels, rejects: this.#rejects, unchanged: this.#unchanged };
    this.#parcels = [];
    this.#rejects = [];
    this.#unchanged = [];
    this.#rows = 0;
    this.#bytes = 0;
    this.#waiting += 1;
    const load = this.#loading.then(() => this.#load(chunk));
    this.#loading = load;
    await load;
    this.#waiting -= 1;
  }

  async #add(parcel: Parcel): Promise<void> {
    if (parcel.isUnchanged) this.#unchanged.push(parcel.list.parent);
    else this.#parcels.push(parcel);
    this.#bytes += parcel.bytes;
    for (const { parts } of parcel.records)
      this.#rows += 1 + parts.reduce((sum, rows) => sum + (rows?.length ?? 0), 0);
    const isFull =
      this.#rows >= CHUNK_ROWS ||
      this.#bytes >= CHUNK_BYTES ||
      this.#parcels.length >= CHUNK_LISTS ||
      this.#unchanged.length >= CHUNK_UNCHANGED;
    if (isFull) await this.flush();
    else if (this.#waiting >= MAX_WAITING) await this.#loading;
  }

  #takeKnown({ records, drift }: Unit): void {
    this.#summary.records += records;
    this.#summary.unchanged += records;
    this.drift.addKnown(drift);
  }

  #take(
    record: unknown,
    parent: RawRecord | undefined,
    tally: DriftTally,
  ): NormalizedRecord | { readonly key?: readonly ColumnValue[] } {
    this.#summary.records += 1;
    const normalized = this.#normalize(record, parent);
    tally.take(record, normalized);
    if ('reject' in normalized) {
      const key = keyText(normalized.key ?? Object.values(parent ?? {}));
      this.#keep({ kind: 'record', key, reason: normalized.reject, sample: sampleOf(record) });
      return normalized;
    }
    this.#note(normalized);
    for (const { table, reason, sample } of normalized.rejects)
      this.#keep({
        kind: table,
        key: keyText(this.#plan.keyOf(normalized.row)),
        reason,
        sample: sampleOf(sample),
      });
    return normalized;
  }

  #keep(reject: Omit<Reject, 'stream'>): void {
    this.#rejects.push({ ...reject, stream: this.#stream.name });
    this.#summary.rejects += 1;
  }

  #note({ row, replaced, retyped }: NormalizedRecord): void {
    if (replaced.length === 0 && retyped.length === 0) return;
    this.#notes += 1;
    if (this.#notes > MAX_NOTES) return;
    const about = { stream: this.#stream.name, key: this.#plan.keyOf(row) };
    const { log } = this.#ctx;
    if (replaced.length > 0)
      log.warn(
        { ...about, columns: replaced },
        'text holds characters that Postgres cannot store; they became U+FFFD',
      );
    if (retyped.length > 0)
      log.warn(
        { ...about, columns: retyped },
        'value is of another type than declared; it is kept in "extra"',
      );
  }

  /** Writes rows, rejects, and what their lists hold now, in one transaction. */
  async #load({ parcels, rejects, unchanged }: Chunk): Promise<void> {
    const { db, schemas, ledger } = this.#ctx;
    const stream = this.#stream.name;
    const batches = makeBatches(this.#plan, parcels);
    if (parcels.length === 0 && rejects.length === 0 && unchanged.length === 0) return;
    const results = await traceRows(this.#ctx, { stream, rows: parcels.length }, () =>
      loadRows(db, schemas, batches, async (tx, results) => {
        const refused = results.flatMap((result, k) => refusedOf(batches[k]?.target, result));
        const all = [...rejects, ...refused.map((each) => ({ ...each, stream }))];
        if (all.length > 0) await ledger.rejects.add(all, tx);
        const { ended, open } = noteLists(this.#plan, parcels, { batches, results });
        if (open.length > 0) await ledger.reads.noteParts(stream, open, tx);
        if (ended.length > 0) await ledger.reads.noteContents(stream, ended, tx);
        if (unchanged.length > 0) await ledger.reads.note(stream, unchanged, tx);
      }),
    );
    for (const [k, { target }] of batches.entries()) {
      const result = results[k] as LoadResult;
      // Where rows turn out to be there, further ones most likely are, and a merge takes them at once.
      if (result.updated + result.unchanged > 0) this.#plan.emptyTables.delete(target.table);
      this.#count(result, target.kind === 'part');
    }
  }

  #count({ inserted, updated, unchanged, restored, deleted, refused }: LoadResult, ofPart: boolean): void {
    const summary = this.#summary;
    summary.rejects += refused.length;
    if (ofPart) {
      summary.partRows += inserted + updated + deleted;
      return;
    }
    summary.inserted += inserted;
    summary.updated += updated;
    summary.unchanged += unchanged;
    summary.restored += restored;
  }
}

/** What one transaction writes. */
interface Chunk {
  readonly parcels: readonly Parcel[];
  readonly rejects: readonly Reject[];
  /** Ids of the lists that hold what they held before. */
  readonly unchanged: readonly string[];
}

/** Makes rejects of the rows that Postgres cannot hold for a reason that normalizing did not foresee. */
function refusedOf(target: RowTarget | undefined, { refused }: LoadResult): Omit<Reject, 'stream'>[] {
  return refused.map(({ row, reason }) => ({
    kind: 'postgres',
    key: keyText(row.filter((_, k) => target?.key.includes(target.columns[k]?.name ?? ''))),
    reason,
    sample: sampleOf(row),
  }));
}
