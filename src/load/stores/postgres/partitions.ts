import type { Database } from '../../../postgres/connect.ts';
import { quoteTable } from '../../../postgres/names.ts';
import type { Queryable } from '../../../postgres/queryable.ts';
import { changeSchema } from '../../../postgres/schema-change.ts';
import { timestamptzText } from '../../../postgres/type-parsers.ts';
import type { SeriesPoints } from '../../../series/types.ts';

/** A calendar month in UTC, the range of a partition. */
export interface Month {
  /** The name, such as `y2026m11`. Years before year 1 are written as `y0001bcm12`. */
  readonly name: string;
  /** The range `[from, to)` in epoch microseconds. */
  readonly from: number;
  readonly to: number;
}

/** Lists the months of the points, each once. */
export function monthsOf(series: Iterable<SeriesPoints>): Month[] {
  const months = new Map<string, Month>();
  let month: Month | undefined;
  for (const { times } of series)
    for (const time of times) {
      if (month !== undefined && time >= month.from && time < month.to) continue;
      month = monthAt(time);
      months.set(month.name, month);
    }
  return [...months.values()];
}

function monthAt(us: number): Month {
  const date = new Date(Math.floor(us / 1000));
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  const label = year > 0 ? String(year).padStart(4, '0') : `${String(1 - year).padStart(4, '0')}bc`;
  return {
    name: `y${label}m${String(month + 1).padStart(2, '0')}`,
    from: monthStart(year, month),
    to: monthStart(year, month + 1),
  };
}

/** `Date.UTC` would take the years 0 to 99 for 1900 to 1999. */
function monthStart(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1) * 1000;
}

/** A partitioned table and the months that it must have. */
interface PartitionDemand {
  readonly schema: string;
  readonly table: string;
  readonly months: readonly Month[];
}

/** The partitions of the tables of a schema. */
export interface Partitions {
  /**
   * Makes the missing partitions of a table for these months, before points are loaded. A partition is made
   * as a table of its own and then attached, because then loads into other partitions go on. A partition that
   * was found or made once is not looked up again.
   */
  ensure(table: string, months: readonly Month[]): Promise<void>;
  /** Lets the next `ensure` look up the partitions of a table again: somebody may have dropped one. */
  forget(table: string): void;
  /** Lets the next `ensure` look up all partitions again. */
  forgetAll(): void;
}

export function openPartitions(db: Database, schema: string): Partitions {
  const known = new Map<string, Set<string>>();
  return {
    async ensure(table, months) {
      const present = known.get(table) ?? new Set();
      const unknown = months.filter(({ name }) => !present.has(name));
      if (unknown.length === 0) return;
      await makeMissing(db, { schema, table, months: unknown });
      for (const { name } of unknown) present.add(name);
      known.set(table, present);
    },
    forget: (table) => void known.delete(table),
    forgetAll: () => known.clear(),
  };
}

async function makeMissing(db: Database, demand: PartitionDemand): Promise<void> {
  if ((await readMissing(db, demand)).length === 0) return;
  const { schema, table } = demand;
  const parent = quoteTable(schema, table);
  await changeSchema(db, `making partitions of ${table}`, async (tx) => {
    // Another process may have made them before this one got the lock.
    const missing = await readMissing(tx, demand);
    if (!(await mayChange(tx, parent))) return letOwnerMake(tx, { ...demand, months: missing });
    for (const month of missing) {
      const partition = quoteTable(schema, `${table}_${month.name}`);
      await tx.query(`create table ${partition} (like ${parent} including all)`);
      await tx.query(
        `alter table ${parent} attach partition ${partition}
         for values from ('${timestamptzText(month.from)}') to ('${timestamptzText(month.to)}')`,
      );
    }
  });
}

/** Tells whether the role owns the table, or is a member of the role that does. */
async function mayChange(tx: Queryable, table: string): Promise<boolean> {
  const { rows } = await tx.query(
    `select pg_has_role(relowner, 'usage') as may_change from pg_class where oid = to_regclass($1)`,
    [table],
  );
  return rows[0]?.may_change !== false;
}

/** Makes partitions by a function from the ledger's migrations, which has the rights of the owner. */
async function letOwnerMake(tx: Queryable, { schema, table, months }: PartitionDemand): Promise<void> {
  for (const { from } of months)
    await tx.query(`select ${quoteTable(schema, 'make_month')}($1, $2)`, [table, timestamptzText(from)]);
}

async function readMissing(db: Queryable, { schema, table, months }: PartitionDemand): Promise<Month[]> {
  const { rows } = await db.query(
    `select c.relname as name from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
     where i.inhparent = to_regclass($1) and c.relname = any($2)`,
    [quoteTable(schema, table), months.map((month) => `${table}_${month.name}`)],
  );
  const present = new Set(rows.map((row) => row.name));
  return months.filter((month) => !present.has(`${table}_${month.name}`));
}
