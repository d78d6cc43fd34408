import { randomInt } from 'node:crypto';
import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import { prepared } from '../../postgres/queryable.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import type { Range } from '../../series/types.ts';
import { type GapGroup, type GapQuestion, gapGroupsOf, gapsSql, gapValues } from '../gaps-sql.ts';
import type { Leases } from './leases.ts';

/** What is about to be read. */
export interface Claim extends Omit<GapQuestion, 'wanted'> {
  readonly range: Range;
}

/** A window that was taken. */
export interface TakenWindow {
  readonly id: number;
  /** What the stores lack of it, as it was when the window was taken; see `GapGroup`. */
  readonly gaps: readonly GapGroup[];
}

/** The windows that one filling is reading, as all others see them. */
export interface Claimant {
  /** Takes the window to read; resolves to undefined while another filling reads a part of it. */
  take(claim: Claim): Promise<TakenWindow | undefined>;
  /** Gives back windows that were taken. */
  release(ids: readonly number[]): Promise<void>;
  /** Gives back everything. */
  end(): Promise<void>;
}

export interface Claims {
  /** Begins a filling. Its claims end with the lease of its process. */
  begin(): Claimant;
}

/**
 * Claims keep fillings from reading the same windows side by side. They are no locks: nothing goes wrong where two take the same window
 * in the same moment; then it is read twice. A filling whose claims have ended writes nothing, because its lease has ended.
 */
export function createClaims(db: Database, schemas: Schemas, leases: Leases): Claims {
  const table = quoteTable(schemas.ledger, 'claims');
  const coverage = quoteTable(schemas.ledger, 'coverage');
  return {
    begin() {
      // At random, not counted: after a restart of the server another process may have a session of the same number.
      const claimant = randomInt(2 ** 31);
      const own = `claimant = ${claimant}`;
      let isUsed = false;
      return {
        async take({ range, ...claim }) {
          isUsed = true;
          const { id: lease } = await leases.hold();
          const statement = prepared(takeSql({ table, coverage, stores: claim.stores.length }));
          const values = [...gapValues({ ...claim, wanted: [range] }), claimant, lease];
          const { rows } = await db.queryInSession(statement, values);
          const [first] = rows;
          if (first === undefined) {
            // Another has it, and may be gone.
            await leases.sweep();
            return undefined;
          }
          return { id: first.id as number, gaps: gapGroupsOf(rows.filter(({ ids }) => ids !== null)) };
        },
        async release(ids) {
          // Only of the own: when the server crashes, the table is emptied, and its numbers may begin anew.
          await db.queryInSession(`delete from ${table} where id = any($1::bigint[]) and ${own}`, [ids]);
        },
        async end() {
          if (isUsed) await db.queryInSession(`delete from ${table} where ${own}`);
        },
      };
    },
  };
}

interface Taking {
  readonly table: string;
  readonly coverage: string;
  readonly stores: number;
}

/**
 * In one statement, so with one view of both tables: where no claim of another filling is seen any more, what it stored is. The parameters
 * are those of `gapValues`, and the numbers of the claimant and of its lease. One row at least if the window is taken, of which all but `id` is null where nothing is lacking.
 */
function takeSql({ table, coverage, stores }: Taking): string {
  const range = 'range_merge($3::tstzmultirange)';
  const claimant = `$${stores + 4}::integer`;
  const lease = `$${stores + 5}::bigint`;
  return `with taken as (
      insert into ${table} (lease, claimant, stream, series_ids, range)
      select ${lease}, ${claimant}, $1, $2::bigint[], ${range} where not exists (
        select from ${table} as c where c.claimant <> ${claimant} and c.stream = $1
        and c.range && ${range} and c.series_ids && $2::bigint[])
      returning id)
    select taken.id, lacking.* from taken left join (${gapsSql(coverage, stores)}) as lacking on true`;
}
