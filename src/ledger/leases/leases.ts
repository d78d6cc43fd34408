import { reasonOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Database } from '../../postgres/connect.ts';
import { currentFence, withFence } from '../../postgres/fence.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { steadyMs } from '../../steady-clock.ts';
import { Lease, readInstants } from './lease.ts';
import { LEASE_MS, type LeaseSql, leaseSql } from './lease-sql.ts';
import { type AskInSession, type HeldLock, LockKeeper, type TakenLock } from './lock-keeper.ts';

/** Period of the renewals. Several may fail before the lease ends. */
const RENEW_MS = 10_000;
/** Time between a renewal that failed and the next attempt. */
const AGAIN_MS = 1_000;
/** A process that waits for others looks at most this often whether they are gone. */
const SWEEP_MS = 1_000;

/**
 * The leases by which processes hold locks, claims and runs. A process that stands still, dies or cannot
 * reach Postgres loses its lease after 45 s. All its locks, claims and runs end with the lease. A process
 * whose session is gone loses its lease at once.
 */
export interface Leases {
  /**
   * Returns the lease of the work under way, else that of the process. Begins a lease if there is none.
   * Throws a `StoreError` if the lease of the work has ended.
   */
  hold(): Promise<Lease>;
  /** Does work that writes nothing more once the lease of this process has ended. */
  work<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Takes the lock of this name. If another process holds the lock, nobody waits: the work is left to that
   * process.
   */
  tryLock(name: string): Promise<HeldLock | TakenLock>;
  /** Ends the leases of processes that are gone. Repeated calls do so at most once a second. */
  sweep(): Promise<void>;
}

/** Returns the name of the lock that keeps two processes from running a job at once. */
export function lockOfJob(job: string): string {
  return `job ${job}`;
}

/** Makes the leases of this process, which end when the database closes. */
export function createLeases(db: Database, schemas: Schemas, log?: Logger): Leases {
  return new OwnLeases(db, schemas, log);
}

class OwnLeases implements Leases {
  readonly #db: Database;
  readonly #sql: LeaseSql;
  readonly #log: Logger | undefined;
  #lease: Lease | undefined;
  #beginning: Promise<Lease> | undefined;
  #beat: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #sweptMs = Number.NEGATIVE_INFINITY;
  readonly #locks: LockKeeper;

  constructor(db: Database, schemas: Schemas, log: Logger | undefined) {
    this.#db = db;
    this.#sql = leaseSql(schemas);
    this.#log = log;
    const ask: AskInSession = (statement, values) => this.#ask(statement, values);
    const { sessionName } = db;
    this.#locks = new LockKeeper(this, { ask, sql: this.#sql, sessionName, log });
    db.beforeClose(() => this.#close());
    // A failover may have lost the lease, and its number may be given to another process.
    db.onServerChange(() => this.#lease?.end());
  }

  async hold(): Promise<Lease> {
    const own = currentFence();
    if (own instanceof Lease) {
      await own.confirm();
      return own;
    }
    if (this.#lease !== undefined && !this.#lease.hasEnded) return this.#lease;
    this.#beginning ??= this.#begin().finally(() => {
      this.#beginning = undefined;
    });
    return this.#beginning;
  }

  async work<T>(work: () => Promise<T>): Promise<T> {
    return withFence(await this.hold(), work);
  }

  tryLock(name: string): Promise<HeldLock | TakenLock> {
    return this.#locks.tryLock(name);
  }

  async sweep(): Promise<void> {
    const nowMs = steadyMs();
    if (nowMs - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = nowMs;
    await this.#sweepNow();
  }

  async #sweepNow(): Promise<void> {
    const { rows } = await this.#ask(this.#sql.sweep, [this.#lease?.id ?? 0]);
    for (const { holder } of rows)
      if (holder !== this.#db.sessionName) {
        this.#log?.warn(
          { holder },
          'a process gives no sign of life any more: its locks and claims are free',
        );
        await this.#breakSessions(holder as string);
      }
  }

  /**
   * Breaks the sessions of a process that stands still, because they hold database locks that others wait
   * for.
   */
  async #breakSessions(holder: string): Promise<void> {
    await this.#ask(this.#sql.breakSessions, [holder]).catch((error: unknown) =>
      this.#log?.warn({ holder, ...reasonOf(error) }, 'the sessions of a process that is gone stay open'),
    );
  }

  async #begin(): Promise<Lease> {
    // The sweep also ends an earlier lease of this process. Another process would break its sessions.
    this.#lease = undefined;
    await this.#sweepNow();
    const begunAt = readInstants();
    const { rows } = await this.#ask(this.#sql.begin, [this.#db.sessionName]);
    const id = rows[0]?.id as number;
    const renew = async () => (await this.#ask(this.#sql.renew, [id])).rowCount === 1;
    this.#locks.forgetLate();
    const lease = new Lease({ id, checkSql: this.#sql.check(id), renew }, begunAt);
    this.#lease = lease;
    this.#stopBeating();
    this.#beat = withFence(undefined, () => setInterval(() => void this.#keep(lease), RENEW_MS).unref());
    return lease;
  }

  /** Renews the lease, and then ends the leases of processes that are gone. */
  async #keep(lease: Lease): Promise<void> {
    try {
      if (!lease.hasEnded && (await lease.renew())) {
        await this.#locks.giveBack(lease);
        await this.#sweepNow();
        return;
      }
    } catch (error) {
      this.#log?.debug(reasonOf(error), 'the lease of this process could not be renewed');
      clearTimeout(this.#again);
      if (this.#lease === lease) this.#again = setTimeout(() => void this.#keep(lease), AGAIN_MS).unref();
    }
    if (!lease.hasEnded || this.#lease !== lease) return;
    this.#stopBeating();
    this.#lease = undefined;
    this.#log?.warn(
      'the lease of this process has ended: it stood still, or PostgreSQL did not answer. The work under way fails, and begins again when it is due',
    );
  }

  #stopBeating(): void {
    clearInterval(this.#beat);
    clearTimeout(this.#again);
  }

  /**
   * Asks in the one session of the leases, which ends with the process. If this session gets no answer, the
   * server answers nothing, so all connections are broken.
   */
  async #ask(statement: string, values?: unknown[]): ReturnType<AskInSession> {
    const giveUp = setTimeout(() => this.#db.breakConnections(), LEASE_MS).unref();
    try {
      return await withFence(undefined, () => this.#db.queryInSession(statement, values));
    } finally {
      clearTimeout(giveUp);
    }
  }

  async #close(): Promise<void> {
    this.#stopBeating();
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease === undefined) return;
    lease.end();
    await this.#ask(this.#sql.end, [lease.id]).catch((error: unknown) =>
      this.#log?.debug(reasonOf(error), 'the lease of this process ends by itself'),
    );
  }
}
