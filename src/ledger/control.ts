import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Queryable } from '../postgres/queryable.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { inTransaction } from '../postgres/transaction.ts';

/** The target of a pause that stands for all streams and jobs. */
export const EVERYTHING = '*';

/** Names the paused streams and jobs. */
export function describeTargets(targets: readonly string[]): string {
  return targets.map((target) => (target === EVERYTHING ? 'everything' : target)).join(', ');
}

export interface Pause {
  /** Name of a stream or a job, or `EVERYTHING`. */
  readonly target: string;
  /** When the pause began, in epoch microseconds. */
  readonly since: number;
}

/** What people ask of the service. It holds for all processes, and survives restarts. */
export interface Control {
  pause(targets: readonly string[]): Promise<void>;
  /** Ends pauses. Resolves to the targets that were paused. `EVERYTHING` ends all pauses. */
  resume(targets: readonly string[]): Promise<string[]>;
  readPauses(): Promise<Pause[]>;
  /** Asks that jobs run now. Resolves to the numbers of these requests. */
  trigger(jobs: readonly string[]): Promise<number[]>;
  /**
   * Begins the jobs that were asked for, each in one process only. If `begin` rejects, all of them stay asked
   * for.
   */
  takeTriggers(jobs: readonly string[], begin: (job: string) => Promise<void>): Promise<void>;
  /** Returns the numbers of those requests that no service has taken yet. */
  readWaiting(ids: readonly number[]): Promise<number[]>;
}

/** Makes the part of the ledger that keeps what people ask of the service. */
export function createControl(db: Database, schemas: Schemas): Control {
  const pauses = quoteTable(schemas.ledger, 'pauses');
  const triggers = quoteTable(schemas.ledger, 'triggers');
  return {
    async pause(targets) {
      await db.query(`insert into ${pauses} (target) select unnest($1::text[]) on conflict do nothing`, [
        targets,
      ]);
    },

    async resume(targets) {
      const { rows } = await db.query(
        `delete from ${pauses} where target = any($1) or $2 = any($1) returning target`,
        [targets, EVERYTHING],
      );
      return rows.map(({ target }) => target as string).sort();
    },

    async readPauses() {
      const { rows } = await db.query(`select target, since from ${pauses} order by since, target`);
      return rows.map(({ target, since }) => ({ target: target as string, since: since as number }));
    },

    async trigger(jobs) {
      const { rows } = await db.query(
        `with pruned as (delete from ${triggers} where asked_at < now() - interval '1 day')
         insert into ${triggers} (job) select unnest($1::text[]) returning id`,
        [jobs],
      );
      return rows.map(({ id }) => id as number);
    },

    async takeTriggers(jobs, begin) {
      const take = async (tx: Queryable): Promise<void> => {
        const { rows } = await tx.query(
          `update ${triggers} set taken_at = now()
           where id in (select id from ${triggers} where taken_at is null and job = any($1) for update skip locked)
           returning job`,
          [jobs],
        );
        for (const job of new Set(rows.map((row) => row.job as string))) await begin(job);
      };
      await inTransaction(db, take, { what: 'taking the runs that people asked for' });
    },

    async readWaiting(ids) {
      const { rows } = await db.query(`select id from ${triggers} where id = any($1) and taken_at is null`, [
        ids,
      ]);
      return rows.map(({ id }) => id as number);
    },
  };
}
