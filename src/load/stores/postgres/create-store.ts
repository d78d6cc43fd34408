import type { PoolClient } from 'pg';
import type { Database } from '../../../postgres/connect.ts';
import { insertOrMerge } from '../../../postgres/insert-or-merge.ts';
import { quoteTable } from '../../../postgres/names.ts';
import { sqlState } from '../../../postgres/postgres-errors.ts';
import { postgresStoreId } from '../../../postgres/schemas.ts';
import { inTransaction } from '../../../postgres/transaction.ts';
import { HISTORY } from '../../../series/history-stream.ts';
import type { SeriesPoints } from '../../../series/types.ts';
import type { WriteResult } from '../store.ts';
import type { PostgresStore } from '../store-kind.ts';
import { describeRead } from './describe-read.ts';
import type { HistoryNotes } from './note-history.ts';
import { monthsOf, openPartitions } from './partitions.ts';
import { ensurePointTables, samplesTable } from './point-tables.ts';
import { readPage, readPoints } from './read.ts';
import { reduceNumbers, reduceTexts } from './reduce.ts';
import { deletePoints } from './remove.ts';
import { indexMonths } from './time-index.ts';
import { appendPoints, findChanged, mergeAndTell, mergeCurrent, mergePoints, stagePoints } from './write.ts';

export interface PostgresStoreOptions {
  readonly db: Database;
  /** The schema of the data. */
  readonly schema: string;
  /** How long somebody else keeps samples before dropping them. For ever if not given. */
  readonly retentionMs?: number | undefined;
  /** Notes what changes in the history. Nothing is noted if not given. */
  readonly notes?: HistoryNotes | undefined;
}

/** Puts the points of a batch into their table, and resolves to the number written. */
type Put = (tx: PoolClient) => Promise<number>;

/** In these tables this error means that a point has no partition. */
const CHECK_VIOLATION = '23514';

/**
 * Creates the Postgres store. History goes to `samples`, each aggregate to a table of its own
 * (`samples_300s_mean`), polls to `samples_polled` and `current_values`. The caller closes the database.
 */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { db, schema, retentionMs } = options;
  const prepared = new Set<string>();
  const partitions = openPartitions(db, schema);
  // A failover may have lost the last tables and partitions.
  db.onServerChange(() => {
    prepared.clear();
    partitions.forgetAll();
  });
  const tableOf = (stream: string) => quoteTable(schema, samplesTable(stream));

  async function ensure(tables: readonly string[]): Promise<void> {
    await ensurePointTables(db, schema, tables);
    for (const table of tables) prepared.add(table);
  }

  async function prepareTable(table: string, series: readonly SeriesPoints[]): Promise<void> {
    if (!prepared.has(table)) await ensure([table]);
    await partitions.ensure(table, monthsOf(series));
  }

  /**
   * Writes points to a table that has a partition for each point. A partition that was dropped meanwhile is
   * made again.
   */
  async function writeTo(
    table: string,
    series: readonly SeriesPoints[],
    write: () => Promise<WriteResult>,
  ): Promise<WriteResult> {
    await prepareTable(table, series);
    try {
      return await write();
    } catch (error) {
      if (sqlState(error) !== CHECK_VIOLATION) throw error;
      partitions.forget(table);
      await prepareTable(table, series);
      return write();
    }
  }

  const notesOf = (stream: string) => (stream === HISTORY ? options.notes : undefined);

  return {
    kind: 'postgres',
    id: postgresStoreId(schema),

    async prepare(streams = []) {
      await ensure([...new Set(['samples', 'samples_polled', ...streams.map(samplesTable)])]);
      // Points and coverage are in one database here: they are made and lost together.
      return false;
    },

    indexMonths: () => indexMonths(db, schema),

    async write(batch, commit) {
      const table = samplesTable(batch.stream);
      const series = sorted(batch.series);
      const target = quoteTable(schema, table);
      const notes = notesOf(batch.stream);
      const append: Put = async (tx) => {
        const written = await appendPoints(tx, target, series);
        await notes?.noteAppended(tx, series);
        return written;
      };
      const merge: Put = async (tx) => {
        if (notes === undefined) return mergePoints(tx, target, series);
        const merged = await mergeAndTell(tx, target, series);
        await notes.noteMerged(tx, merged, { isReread: !batch.fresh });
        return merged.reduce((sum, { points }) => sum + points, 0);
      };
      const write = (put: Put) =>
        inTransaction(
          db,
          async (tx) => {
            const written = await put(tx);
            await commit(tx, []);
            return done(written);
          },
          { what: `writing ${batch.stream} to ${table}` },
        );
      return writeTo(table, series, () =>
        batch.fresh
          ? insertOrMerge(
              () => write(append),
              () => write(merge),
            )
          : write(merge),
      );
    },

    async writePolls(points, commit, repeats = []) {
      const current = quoteTable(schema, 'current_values');
      const write = async (tx: PoolClient): Promise<WriteResult> => {
        const changed = repeats.length === 0 ? new Set() : await findChanged(tx, current, sorted(repeats));
        const isChanged = ({ series }: SeriesPoints) => changed.has(series.id);
        const kept = sorted([...points, ...repeats.filter(isChanged)]);
        const written = await mergePoints(tx, quoteTable(schema, 'samples_polled'), kept);
        const rest = repeats.filter((each) => !isChanged(each));
        if (rest.length > 0) await stagePoints(tx, sorted(rest));
        await mergeCurrent(tx, current);
        await commit?.(tx, kept);
        return done(written);
      };
      return writeTo('samples_polled', [...points, ...repeats], () =>
        inTransaction(db, write, { what: 'writing polled values' }),
      );
    },

    held: async (_, points) => points,

    read: ({ stream, series, range }) => readPoints(db, tableOf(stream), { series, range }),

    readPage: (page) => readPage(db, tableOf(page.stream), page),
    reduceNumbers: (reduction) => reduceNumbers(db, tableOf(reduction.stream), reduction),
    reduceTexts: (reduction) => reduceTexts(db, tableOf(reduction.stream), reduction),
    describeRead: (stretch) => ({
      language: 'sql',
      database: db.database,
      text: describeRead(schema, stretch),
    }),

    async remove(stream, removals, uncover) {
      await uncover();
      await inTransaction(
        db,
        async (tx) => {
          await deletePoints(tx, tableOf(stream), removals);
          await notesOf(stream)?.noteRemoved(tx, removals);
        },
        { what: `removing points of ${stream}` },
      );
    },

    retentionMs: () => retentionMs,

    // The caller that opened the pool closes it.
    close: async () => undefined,
  };
}

/** Sorts series by number, so that two writers lock them in the same order and cannot deadlock. */
function sorted(series: readonly SeriesPoints[]): SeriesPoints[] {
  return series.filter((points) => points.times.length > 0).sort((a, b) => a.series.id - b.series.id);
}

function done(written: number): WriteResult {
  return { written, skipped: 0, refused: [] };
}
