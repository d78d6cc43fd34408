import { escapeLiteral } from 'pg';
import { BACKLOG_SERIES, rollupTables } from '../postgres/rollup-tables.ts';
import { postgresStoreId, type Schemas } from '../postgres/schemas.ts';

/**
 * Makes a statement that changes coverage also mark the change for the rollups. The rollups are made of the
 * history in Postgres, so other coverage does not concern them.
 */
export interface CoverageMarks {
  concern(store: string, stream: string): boolean;
  /** Marks the series that an addition returns. `range` is the SQL of a range. */
  withAdded(addition: string, range: string): string;
  /** Marks the series that a removal returns. */
  withRemoved(removal: string, range: string): string;
  /** Marks all that a deletion of rows of the coverage forgets. Returns one row with their number. */
  withForgotten(deletion: string): string;
}

export function createCoverageMarks(schemas: Schemas): CoverageMarks {
  const ownStore = postgresStoreId(schemas.data);
  const ownStream = 'history';
  const { marks, backlog, state } = rollupTables(schemas);
  const withMark = (change: string, { range, reread }: { range: string; reread: boolean }) =>
    `with changed as (${change})
     insert into ${marks} (series_ids, first_id, last_id, begins, ends, reread)
     select array_agg(series_id order by series_id), min(series_id), max(series_id), lower(${range}), upper(${range}), ${reread}
     from changed where (select kept from ${state}) having count(*) > 0`;
  return {
    concern: (store, stream) => store === ownStore && stream === ownStream,
    withAdded: (addition, range) => withMark(addition, { range, reread: false }),
    withRemoved: (removal, range) => withMark(removal, { range, reread: true }),
    withForgotten: (deletion) =>
      `with gone as (${deletion} returning store, stream, series_id, covered),
       numbered as (
         select series_id, covered, (row_number() over (order by series_id) - 1) / ${BACKLOG_SERIES} as chunk
         from gone where store = ${escapeLiteral(ownStore)} and stream = '${ownStream}' and not isempty(covered)
           and (select kept from ${state})),
       marked as (
         insert into ${backlog} (series_ids, first_id, last_id, begins, ends)
         select array_agg(series_id order by series_id), min(series_id), max(series_id),
           min(lower(covered)), max(upper(covered))
         from numbered group by chunk)
       select count(*) as forgotten from gone`,
  };
}
