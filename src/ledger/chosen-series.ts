import { StoreError } from '../errors.ts';
import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { numbersText } from '../postgres/type-parsers.ts';

/** Series of one part of the choice. Part 0 is for series that no selection reads. */
export interface ChosenPart {
  readonly part: number;
  readonly ids: readonly number[];
}

/** The series that were chosen, in sum. */
export interface ChosenCounts {
  /** Number of series of each part. A part without series is not in the map. */
  readonly series: ReadonlyMap<number, number>;
  /** What was found besides the series. */
  readonly facts: unknown;
}

/** A choice of series. `directory` is what `begin` returned before the properties were read. */
export interface Choice {
  /** Digest of the selections. */
  readonly digest: string;
  readonly directory: number;
  readonly facts: unknown;
  /** The series, a part of a part at a time. */
  readonly parts: AsyncIterable<ChosenPart> | Iterable<ChosenPart>;
  /** Seconds that it took to find the series. A choice that took long lasts for longer. */
  readonly tookSec: () => number;
}

/**
 * Which series the selections of the configuration read, so that looks at all of them count in the database.
 */
export interface ChosenSeries {
  /**
   * Counts the series that were chosen by these selections. Resolves to undefined if they were chosen by
   * others, or if the directory has changed since. With `isOldToo`, changes of the directory do not matter.
   */
  read(digest: string, how?: { readonly isOldToo: boolean }): Promise<ChosenCounts | undefined>;
  /** Returns the state of the directory. Call it before the properties of a choice are read. */
  begin(): Promise<number>;
  /** Keeps a choice. A series that was chosen already costs no write. */
  keep(choice: Choice): Promise<void>;
}

/**
 * Where a choice takes longer than this, it lasts for a multiple of the rest, also if the directory changes.
 * The directory changes with each page of a scan.
 */
const QUICK_SEC = 5;
const LASTS_TIMES = 20;
/** If more series are chosen otherwise, all coverage is counted once more. This is quicker then. */
const MOST_MOVED = 100_000;

/** Makes the part of the ledger that knows the series which are wanted. */
export function createChosenSeries(
  db: Database,
  schemas: Schemas,
  { mostMoved } = { mostMoved: MOST_MOVED },
): ChosenSeries {
  const ledger = (name: string) => quoteTable(schemas.ledger, name);
  return {
    async read(digest, { isOldToo } = { isOldToo: false }) {
      const { rows } = await db.query(
        `select facts, (select coalesce(json_object_agg(part, n), '{}') from (
             select part, sum(series) as n from (
               select part, series from ${ledger('coverage_shapes')} where store = '' and stream = ''
               union all
               select part, series from ${ledger('coverage_shape_changes')} where store = '' and stream = '') as k
             group by part having sum(series) > 0) as counted) as parts
         from ${ledger('choice')}
         where digest = $1 and ($2 or made_at > now() - ${LASTS_TIMES} * greatest(took - interval '${QUICK_SEC} s', '0')
           or directory = ${ledger('directory_state')}())`,
        [digest, isOldToo],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      const counts = Object.entries(row.parts as Record<string, number>);
      return { series: new Map(counts.map(([part, count]) => [Number(part), count])), facts: row.facts };
    },

    async begin() {
      const { rows } = await db.query(`select ${ledger('begin_choice')}() as state`);
      return rows[0]?.state as number;
    },

    async keep({ digest, directory, facts, parts, tookSec }) {
      const choice = ledger('choice');
      const hasCountedAll = await inTransaction(
        db,
        async (tx) => {
          // One process keeps its choice at a time.
          await tx.query(`lock table ${choice} in share row exclusive mode`);
          await tx.query(
            'create temporary table asked_series (series_id bigint primary key, part integer not null) on commit drop',
          );
          for await (const { part, ids } of parts)
            if (ids.length > 0)
              await tx.query('insert into asked_series select unnest($1::bigint[]), $2', [
                numbersText(ids),
                part,
              ]);
          const hasCountedAll = await changeChoice(tx, { ledger, mostMoved });
          await tx.query(
            `insert into ${choice} (digest, directory, facts, took) values ($1, $2, $3, make_interval(secs => $4))
             on conflict (one) do update set digest = excluded.digest, directory = excluded.directory,
               facts = excluded.facts, took = excluded.took, made_at = clock_timestamp()`,
            [digest, directory, JSON.stringify(facts), tookSec()],
          );
          return hasCountedAll;
        },
        { what: 'keeping which series are wanted', attempts: 1 },
      );
      if (hasCountedAll) await vacuum(db, [ledger('coverage_shapes'), ledger('coverage_shape_changes')]);
    },
  };
}

/**
 * Gives Postgres statistics of tables that were filled, and gives back the space of rows that were deleted.
 * Otherwise the next looks would walk through an index row by row, and read all of that space. It is no
 * failure if that cannot be done now, for example because the server just does it by itself.
 */
async function vacuum(db: Database, tables: readonly string[]): Promise<void> {
  try {
    await db.query(`vacuum (analyze, skip_locked) ${tables.join(', ')}`);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/** Makes the chosen series those in `asked_series`. Resolves to true if all coverage was counted for that. */
async function changeChoice(
  tx: Queryable,
  { ledger, mostMoved }: { ledger: (name: string) => string; mostMoved: number },
): Promise<boolean> {
  const chosen = ledger('chosen_series');
  await tx.query('analyze asked_series');
  const { rows } = await tx.query(
    `select count(*) as changes from asked_series as a full join ${chosen} as k using (series_id)
     where a.part is distinct from k.part`,
  );
  const changes = rows[0]?.changes as number;
  if (changes === 0) return false;
  const isLarge = changes > mostMoved;
  // Nobody changes coverage while it is counted.
  if (isLarge) {
    await tx.query(`lock table ${ledger('coverage')} in share row exclusive mode`);
    await tx.query("set local plantsync.counts_after = 'on'");
  }
  await tx.query(
    `delete from ${chosen} as k where not exists (select from asked_series as a where a.series_id = k.series_id)`,
  );
  await tx.query(
    `insert into ${chosen} as k (series_id, part)
     select series_id, part from asked_series as a
     where not exists (select from ${chosen} as o where o.series_id = a.series_id and o.part = a.part)
     order by series_id on conflict (series_id) do update set part = excluded.part`,
  );
  if (isLarge) await tx.query(`select ${ledger('count_coverage')}()`);
  return isLarge;
}
