import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Database } from '../../postgres/connect.ts';
import { currentFence, withFence } from '../../postgres/fence.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { steadyMs } from '../../steady-clock.ts';
import { Lease, readInstants } from './lease.ts';
import { LEASE_MS, type LeaseSql, leaseSql } from './lease-sql.ts';
import { type AskInSession, type HeldLock, LockKeeper, type TakenLock } from './lock-keeper.ts';

/** Period of the renewals, of which several may fail before a lease ends. */
const RENEW_MS = 10_000;
/** Between a renewal that failed and the next attempt. */
const AGAIN_MS = 1_000;
/** Those who wait for others look so often at most whether these are gone. */
const SWEEP_MS = 1_000;

/**
 * What a process holds while it works. A process that stands still, dies or cannot reach Postgres loses its lease after 45 s, and with it
 * all its locks, claims and runs; one whose session is gone loses it at once.
 */
export interface Leases {
  /** The lease of the work under way, or that of the process; begins one if there is none. Throws a `StoreError` if that of the work has ended. */
  hold(): Promise<Lease>;
  /** Does work that writes nothing more once the lease of this process has ended. */
  work<T>(work: () => Promise<T>): Promise<T>;
  /** Takes the lock of this name. Nobody waits: what another does is left to it. */
  tryLock(name: string): Promise<HeldLock | TakenLock>;
  /** Ends the leases of those who are gone; often asked, it does so once a second. */
  sweep(): Promise<void>;
}

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
        this.#log?.warn({ holder }, 'a process gave no sign of life any more: what it held is free');
        await this.#breakSessions(holder as string);
      }
  }

  /** A process that stands still has sessions which hold what others wait for. */
  async #breakSessions(holder: string): Promise<void> {
    await this.#ask(this.#sql.breakSessions, [holder]).catch((error: unknown) =>
      this.#log?.warn(
        { holder, reason: messageOf(error) },
        'the sessions of a process that is gone stay open',
      ),
    );
  }

  async #begin(): Promise<Lease> {
    // With what this process held before, so that nobody else takes its sessions for those of one that is gone.
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

  /** Renews the lease, and looks after the others. */
  async #keep(lease: Lease): Promise<void> {
    try {
      if (!lease.hasEnded && (await lease.renew())) {
        await this.#locks.giveBack(lease);
        await this.#sweepNow();
        return;
      }
    } catch (error) {
      this.#log?.debug({ reason: messageOf(error) }, 'the lease of this process could not be renewed');
      clearTimeout(this.#again);
      if (this.#lease === lease) this.#again = setTimeout(() => void this.#keep(lease), AGAIN_MS).unref();
    }
    if (!lease.hasEnded || this.#lease !== lease) return;
    this.#stopBeating();
    this.#lease = undefined;
    this.#log?.warn(
      'the lease of this process has ended, because it stood still or PostgreSQL did not answer: what was under way fails, and begins again when it is due',
    );
  }

  #stopBeating(): void {
    clearInterval(this.#beat);
    clearTimeout(this.#again);
  }

  /** All in one session, which ends with the process. If it is not answered, nothing is: what else waits for the server ends as well. */
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
      this.#log?.debug({ reason: messageOf(error) }, 'the lease of this process ends by itself'),
    );
  }
}
