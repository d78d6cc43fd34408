import type { Database } from '../../../postgres/connect.ts';
import { quoteTable } from '../../../postgres/names.ts';
import { bringUpToDate } from '../../../postgres/schema-change.ts';
import { readTables } from '../../rows/ensure-tables.ts';
import type { ExistingTable } from '../../rows/plan-tables.ts';
import { findTimeIndexes } from './time-index.ts';

/** The columns of every table of points, in the order of the COPY. */
const POINT_COLUMNS = `
  series_id bigint not null,
  at timestamptz not null,
  value double precision,
  text text,
  quality text`;

const pointComments = {
  series_id: 'Number of the series, see table series.',
  value: 'The value as a number; null if it has none. Of a boolean 1 or 0.',
  text: 'The value as text: where the property is no number, where the value does not fit it, or with all digits of a large integer.',
  quality:
    'Why the value is not a plain one: null, nan, infinity, mistyped, replaced. Null for an ordinary value.',
};

const CURRENT_VALUES = 'current_values';

/**
 * Returns the table of a stream: `samples` for `history`, `samples_300s_mean` for its aggregate
 * `history/300s/mean`.
 */
export function samplesTable(stream: string): string {
  return ['samples', ...stream.split('/').slice(1)].join('_');
}

/**
 * Makes tables of points, each partitioned by month, and the table of the newest value of every series, as
 * far as they are missing.
 */
export function ensurePointTables(db: Database, schema: string, samples: readonly string[]): Promise<void> {
  return bringUpToDate(db, { schema, what: 'making the tables of points' }, async (at) => {
    const tableOf = (name: string) => quoteTable(schema, name);
    const existing = await readTables(at, [...samples, CURRENT_VALUES].map(tableOf));
    return [
      ...changeCurrentValues(tableOf(CURRENT_VALUES), existing),
      ...samples.flatMap((name) => changeSamples(tableOf(name), name, existing)),
      ...(await findTimeIndexes(at, samples.map(tableOf))),
    ];
  });
}

type ExistingTables = ReadonlyMap<string, ExistingTable>;

function changeSamples(table: string, name: string, existing: ExistingTables): string[] {
  return changeTable(table, existing.get(table), {
    create: `create table ${table} (${POINT_COLUMNS}, primary key (series_id, at)) partition by range (at)`,
    about: describeTable(name),
    at: 'Time of the value as the platform states it, of the poll, or the start of the bucket.',
  });
}

function describeTable(name: string): string {
  if (name.endsWith('_polled'))
    return 'Current values as polled, one row per poll. Not history: a value between two polls is not here.';
  const [, periodSec, fn] = /_(\d+)s_(\w+)$/.exec(name) ?? [];
  if (fn === undefined) return 'History of the series as the platform has it, one row per value.';
  return `History as the platform aggregates it: ${fn} of every ${periodSec} s, one row per bucket with data.`;
}

function changeCurrentValues(table: string, existing: ExistingTables): string[] {
  return changeTable(table, existing.get(table), {
    // Half of every page stays free for the next version of its rows, so that an update need not touch the
    // index.
    create: `create table ${table} (${POINT_COLUMNS}, changed_at timestamptz not null, primary key (series_id))
      with (fillfactor = 45)`,
    about: 'The newest polled value of every series.',
    at: 'Time of the newest poll, or of the value if the platform states it.',
    changed_at: 'The first poll that showed this value.',
  });
}

/**
 * Lists the statements that a table of points lacks: `create` if there is none, and the comments that differ.
 * Equal comments need no statement, and so no right of the role.
 */
function changeTable(
  table: string,
  found: ExistingTable | undefined,
  { create, about, ...columns }: { create: string; about: string; at: string; changed_at?: string },
): string[] {
  const statements = found === undefined ? [create] : [];
  if (found?.comment !== about) statements.push(`comment on table ${table} is '${about}'`);
  for (const [column, meaning] of Object.entries({ ...pointComments, ...columns }))
    if (found?.columns.find(({ name }) => name === column)?.comment !== meaning)
      statements.push(`comment on column ${table}.${column} is '${meaning}'`);
  return statements;
}
