import { quoteTable } from '../../../postgres/names.ts';
import type { Queryable } from '../../../postgres/queryable.ts';
import { runStatements } from '../../../postgres/schema-change.ts';
import { readTable } from '../../rows/ensure-tables.ts';
import type { ExistingTable } from '../../rows/plan-tables.ts';
import { ensureTimeIndex } from './time-index.ts';

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

/** Makes a table of points, partitioned by month, if the table is missing. */
export async function ensureSamples(tx: Queryable, schema: string, name: string): Promise<void> {
  const table = quoteTable(schema, name);
  const existing = await readTable(tx, table);
  if (existing === undefined)
    await tx.query(
      `create table ${table} (${POINT_COLUMNS}, primary key (series_id, at)) partition by range (at)`,
    );
  await ensureTimeIndex(tx, table);
  await comment(
    tx,
    { table, existing },
    {
      table: describeTable(name),
      columns: {
        ...pointComments,
        at: 'Time of the value as the platform states it, of the poll, or the start of the bucket.',
      },
    },
  );
}

function describeTable(name: string): string {
  if (name.endsWith('_polled'))
    return 'Current values as polled, one row per poll. Not history: a value between two polls is not here.';
  const [, periodSec, fn] = /_(\d+)s_(\w+)$/.exec(name) ?? [];
  if (fn === undefined) return 'History of the series as the platform has it, one row per value.';
  return `History as the platform aggregates it: ${fn} of every ${periodSec} s, one row per bucket with data.`;
}

/** Makes the table of the newest value of every series, if the table is missing. */
export async function ensureCurrentValues(tx: Queryable, schema: string): Promise<void> {
  const table = quoteTable(schema, 'current_values');
  const existing = await readTable(tx, table);
  // Half of every page stays free for the next version of its rows, so that an update need not touch the
  // index.
  if (existing === undefined)
    await tx.query(
      `create table ${table} (${POINT_COLUMNS}, changed_at timestamptz not null, primary key (series_id))
       with (fillfactor = 45)`,
    );
  await comment(
    tx,
    { table, existing },
    {
      table: 'The newest polled value of every series.',
      columns: {
        ...pointComments,
        at: 'Time of the newest poll, or of the value if the platform states it.',
        changed_at: 'The first poll that showed this value.',
      },
    },
  );
}

/**
 * Sets the comments of a table where they differ. Equal comments need no statement, and so no right of the
 * role.
 */
async function comment(
  tx: Queryable,
  { table, existing }: { table: string; existing: ExistingTable | undefined },
  comments: { table: string; columns: Readonly<Record<string, string>> },
): Promise<void> {
  const statements =
    existing?.comment === comments.table ? [] : [`comment on table ${table} is '${comments.table}'`];
  for (const [column, meaning] of Object.entries(comments.columns))
    if (existing?.columns.find(({ name }) => name === column)?.comment !== meaning)
      statements.push(`comment on column ${table}.${column} is '${meaning}'`);
  await runStatements(tx, statements);
}
