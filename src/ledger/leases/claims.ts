import { randomInt } from 'node:crypto';
import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import { prepared } from '../../postgres/queryable.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import type { Range } from '../../series/types.ts';
import { type GapGroup, type GapQuestion, gapGroupsOf, gapsSql, gapValues } from '../gaps-sql.ts';
import type { Leases } from './leases.ts';

/** A range of some series that is about to be read. */
export interface Claim extends Omit<GapQuestion, 'wanted'> {
  readonly range: Range;
}

/** A window that was taken. */
export interface TakenWindow {
  readonly id: number;
  /** The ranges of the window that the stores lacked when it was taken; see `GapGroup`. */
  readonly gaps: readonly GapGroup[];
}

/** The claims of one filling on the windows that it reads. */
export interface Claimant {
  /** Takes a window to read. Resolves to undefined while another filling reads a part of it. */
  take(claim: Claim): Promise<TakenWindow | undefined>;
  /** Gives back windows that were taken. */
  release(ids: readonly number[]): Promise<void>;
  /** Gives back all windows of the filling. */
  end(): Promise<void>;
}

export interface Claims {
  /** Begins a filling. Its claims end with the lease of its process. */
  begin(): Claimant;
}

/**
 * Makes the claims, which keep fillings from reading the same windows at the same time. Claims are no locks:
 * if two fillings take a window at the same moment, it is only read twice. A filling whose claims have ended
 * writes nothing, because its lease has ended too.
 */
export function createClaims(db: Database, schemas: Schemas, leases: Leases): Claims {
  const table = quoteTable(schemas.ledger, 'claims');
  const coverage = quoteTable(schemas.ledger, 'coverage');
  return {
    begin() {
      // The number is random: a counted one could be that of another process after a restart of the server.
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
            // Another filling has the window, and its process may be gone.
            await leases.sweep();
            return undefined;
          }
          return { id: first.id as number, gaps: gapGroupsOf(rows.filter(({ ids }) => ids !== null)) };
        },
        async release(ids) {
          // Only own claims are deleted: a crash of the server empties the table, and others claim after it.
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
 * Returns the statement that takes a window and reads its gaps. One statement has one view of both tables: if
 * it no longer sees the claim of another filling, it sees what that filling stored. The parameters are those
 * of `gapValues`, then the number of the claimant and of its lease. The statement yields at least one row if
 * the window is taken. If nothing is lacking, all but `id` is null in it.
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
