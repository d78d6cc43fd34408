import type { Reject } from '../ledger/rejects.ts';
import { createRowLoader, type RefusedRow, type RowLoader } from '../load/merge.ts';
import { createRowNormalizer } from '../normalize/rows.ts';
import { sampleOf } from '../normalize/text.ts';
import type { Page } from '../platform/platform.ts';
import type { Row, Stream } from '../streams/define.ts';
import type { SyncContext } from './context.ts';
import type { RunSummary } from './summary.ts';

/** Rows are loaded in one transaction when there are so many, or when they came in so many bytes. */
const CHUNK_ROWS = 10_000;
const CHUNK_BYTES = 16 * 1024 * 1024;
/** Entries that are named in the log for replaced characters or retyped values, per run. */
const MAX_NOTES = 20;

/** Normalizes the records of one stream, loads the rows in chunks and keeps what cannot be a row as a reject. */
export class RowSink {
  readonly #ctx: SyncContext;
  readonly #stream: Stream;
  readonly #summary: RunSummary;
  readonly #normalize: ReturnType<typeof createRowNormalizer>;
  readonly #loader: RowLoader;
  #rows: Row[] = [];
  #bytes = 0;
  #rejects: Reject[] = [];
  #notes = 0;
  /** Loads follow each other: several of one table would only wait for each other's rows. */
  #loading: Promise<void> = Promise.resolve();

  constructor(ctx: SyncContext, stream: Stream, summary: RunSummary) {
    this.#ctx = ctx;
    this.#stream = stream;
    this.#summary = summary;
    this.#normalize = createRowNormalizer(stream, ctx.parseInstant);
    this.#loader = createRowLoader(ctx.db, { schema: ctx.schemas.data, stream });
  }

  /** Takes the records of one page; resolves when there is room for more. */
  async add({ items, bytes }: Page, parent?: Readonly<Record<string, unknown>>): Promise<void> {
    for (const record of items) this.#take(record, parent);
    this.#bytes += bytes;
    if (this.#rows.length >= CHUNK_ROWS || this.#bytes >= CHUNK_BYTES) await this.flush();
  }

  /** Loads what is left; resolves when everything taken so far is in Postgres. */
  async flush(): Promise<void> {
    const rows = this.#rows;
    const rejects = this.#rejects;
    this.#rows = [];
    this.#bytes = 0;
    this.#rejects = [];
    const load = this.#loading.then(() => this.#load(rows, rejects));
    this.#loading = load;
    await load;
  }

  #take(record: unknown, parent: Readonly<Record<string, unknown>> | undefined): void {
    this.#summary.records += 1;
    const normalized = this.#normalize(record, parent);
    if ('reject' in normalized) {
      const key = parent === undefined ? '' : Object.values(parent).join('/');
      this.#rejects.push({
        stream: this.#stream.name,
        kind: 'record',
        key,
        reason: normalized.reject,
        sample: sampleOf(record),
      });
      return;
    }
    this.#rows.push(normalized.row);
    if (normalized.replaced.length > 0)
      this.#note(
        normalized.row,
        normalized.replaced,
        'text holds characters that Postgres cannot store; they became U+FFFD',
      );
    if (normalized.retyped.length > 0)
      this.#note(
        normalized.row,
        normalized.retyped,
        'value is of another type than declared; it is kept in "extra"',
      );
  }

  #note(row: Row, columns: readonly string[], what: string): void {
    this.#notes += 1;
    if (this.#notes > MAX_NOTES) return;
    const key = this.#keyOf(row);
    this.#ctx.log.warn({ stream: this.#stream.name, key, columns }, what);
  }

  async #load(rows: readonly Row[], rejects: readonly Reject[]): Promise<void> {
    if (rejects.length > 0) {
      await this.#ctx.ledger.rejects.add(rejects);
      this.#summary.rejects += rejects.length;
    }
    if (rows.length === 0) return;
    const { inserted, updated, unchanged, refused } = await this.#loader.load(rows);
    await this.#keepRefused(refused);
    this.#summary.inserted += inserted;
    this.#summary.updated += updated;
    this.#summary.unchanged += unchanged;
  }

  #keyOf(row: Row): Row {
    return row.filter((_, k) => this.#stream.key.includes(this.#stream.columns[k]?.name ?? ''));
  }

  /** Rows that Postgres cannot hold for a reason that normalizing did not foresee. */
  async #keepRefused(refused: readonly RefusedRow[]): Promise<void> {
    if (refused.length === 0) return;
    this.#summary.rejects += refused.length;
    await this.#ctx.ledger.rejects.add(
      refused.map(({ row, reason }) => {
        const key = this.#keyOf(row);
        return {
          stream: this.#stream.name,
          kind: 'postgres',
          key: key.join('/'),
          reason,
          sample: sampleOf(row),
        };
      }),
    );
  }
}
