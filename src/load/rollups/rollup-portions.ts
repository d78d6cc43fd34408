import type { PoolClient } from 'pg';
import type { Database } from '../../postgres/connect.ts';
import { planByKey } from '../../postgres/plan-by-key.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { MarkTaking } from './collect-changes.ts';
import { type Computed, computeDays, computeRollups, type RollupComputing } from './compute-rollups.ts';
import { beginBacklog, endBacklog } from './rollup-state.ts';
import { takeBacklog } from './take-backlog.ts';
import { takeMarks } from './take-marks.ts';

/** A part of the backlog is made so large that it takes about this long. */
const PART_MS = 1_000;
const FIRST_HOURS = 24;
const MOST_HOURS = 24 * 366;

export interface RollupPortionsParts extends MarkTaking, RollupComputing {
  readonly db: Database;
  readonly schemas: Schemas;
}

/**
 * Computes rollups in portions, each in one transaction that also removes the marks. So a kill at any point
 * loses nothing. One process at a time may do it.
 */
export class RollupPortions {
  readonly #parts: RollupPortionsParts;
  #hours = FIRST_HOURS;

  constructor(parts: RollupPortionsParts) {
    this.#parts = parts;
  }

  /** Puts history that has no rollups into the backlog. */
  begin(): Promise<void> {
    const { schemas, grid, keptSince } = this.#parts;
    return this.#transact('looking for history without rollups', (tx) =>
      beginBacklog(tx, schemas, { zone: grid.zone, keptSince }),
    );
  }

  /** Computes hours that have changed. Resolves to undefined if nothing is due. */
  takeMarks(): Promise<Computed | undefined> {
    return this.#transact('computing rollups', async (tx) => {
      const changes = await takeMarks(tx, this.#parts);
      return changes && computeRollups(tx, changes, this.#parts);
    });
  }

  /** Computes the newest part of the backlog. Resolves to undefined if nothing is left. */
  async takeBacklog(): Promise<Computed | undefined> {
    const beganMs = steadyMs();
    const computed = await this.#transact('computing rollups of stored history', async (tx) => {
      const part = await takeBacklog(tx, this.#parts, this.#hours);
      const compute = part?.onlyDays ? computeDays : computeRollups;
      return part && compute(tx, part.changes, this.#parts);
    });
    if (computed === undefined) await endBacklog(this.#parts.db, this.#parts.schemas);
    const isSlow = steadyMs() - beganMs > PART_MS;
    this.#hours = Math.min(MOST_HOURS, Math.max(1, isSlow ? this.#hours / 2 : this.#hours * 2));
    return computed;
  }

  #transact<T>(what: string, work: (tx: PoolClient) => Promise<T>): Promise<T> {
    const planned = async (tx: PoolClient): Promise<T> => {
      await planByKey(tx);
      return work(tx);
    };
    return inTransaction(this.#parts.db, planned, { what });
  }
}
