import { setImmediate } from 'node:timers/promises';
import { messageOf, StoreError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Database } from '../postgres/connect.ts';
import { postgresStore } from '../postgres/errors.ts';
import { currentFence, withFence } from '../postgres/fence.ts';
import { Lease, readInstants } from './lease.ts';
import { LEASE_MS, leaseSql } from './lease-sql.ts';
import type { Schemas } from './schemas.ts';

/** Period of the renewals, of which several may fail before a lease ends. */
const RENEW_MS = 10_000;
/** Between a renewal that failed and the next attempt. */
const AGAIN_MS = 1_000;
/** Those who wait for others look so often at most whether these are gone. */
const SWEEP_MS = 1_000;

/** A lock that this process holds. */
export interface HeldLock {
  readonly isHeld: true;
  readonly lease: Lease;
  /** Rejects if it has ended. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/** A lock that another holds. */
export interface TakenLock {
  readonly isHeld: false;
  /** Name of its process; undefined if it was given back just now. */
  readonly holder: string | undefined;
}

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
  readonly #sql: ReturnType<typeof leaseSql>;
  readonly #log: Logger | undefined;
  #lease: Lease | undefined;
  #beginning: Promise<Lease> | undefined;
  #beat: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #sweptMs = Number.NEGATIVE_INFINITY;
  /** Locks of this process, and those that it could not give back yet. */
  readonly #held = new Set<string>();
  readonly #taking = new Map<string, Promise<unknown>>();
  readonly #unreleased = new Set<string>();

  constructor(db: Database, schemas: Schemas, log: Logger | undefined) {
    this.#db = db;
    this.#sql = leaseSql(schemas);
    this.#log = log;
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

  async tryLock(name: string): Promise<HeldLock | TakenLock> {
    // An attempt whose answer came too late for who made it is given back at once.
    for (let taking = this.#taking.get(name); taking !== undefined; taking = this.#taking.get(name)) {
      await taking.catch(() => undefined);
      await setImmediate();
    }
    if (this.#held.has(name)) return { isHeld: false, holder: this.#db.sessionName };
    this.#held.add(name);
    const taking = this.#takeOrTell(name).finally(() => this.#taking.delete(name));
    this.#taking.set(name, taking);
    return taking;
  }

  async #takeOrTell(name: string): Promise<HeldLock | TakenLock> {
    try {
      const lease = await this.hold();
      this.#unreleased.delete(name);
      if ((await this.#take(name, lease)) || (await this.#takeAfterSweep(name, lease)))
        return this.#heldLock(name, lease);
    } catch (error) {
      this.#held.delete(name);
      throw error;
    }
    this.#held.delete(name);
    return { isHeld: false, holder: await this.#readHolder(name) };
  }

  async #take(name: string, lease: Lease): Promise<boolean> {
    return (await this.#ask(this.#sql.lock, [name, lease.id])).rowCount === 1;
  }

  async #takeAfterSweep(name: string, lease: Lease): Promise<boolean> {
    await this.sweep();
    return this.#take(name, lease);
  }

  #heldLock(name: string, lease: Lease): HeldLock {
    return {
      isHeld: true,
      lease,
      check: async () => {
        const { rowCount } = await this.#ask(this.#sql.isHeld, [name, lease.id]);
        if (lease.hasEnded || rowCount === 0)
          throw new StoreError(lease.endedMessage, postgresStore, 'retry');
      },
      release: async () => {
        this.#held.delete(name);
        if (lease.hasEnded) return;
        this.#unreleased.add(name);
        await this.#unlock(lease);
      },
    };
  }

  /** What cannot be given back now is given back with the next renewal, or ends with the lease. */
  async #unlock(lease: Lease): Promise<void> {
    const names = [...this.#unreleased];
    if (names.length === 0) return;
    try {
      await this.#ask(this.#sql.unlock, [names, lease.id]);
      for (const name of names) this.#unreleased.delete(name);
    } catch (error) {
      this.#log?.debug({ names, reason: messageOf(error) }, 'locks are given back later');
    }
  }

  async sweep(): Promise<void> {
    const now = performance.now();
    if (now - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = now;
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
    this.#unreleased.clear();
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
        await this.#unlock(lease);
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

  async #readHolder(name: string): Promise<string | undefined> {
    return (await this.#ask(this.#sql.holder, [name])).rows[0]?.holder as string | undefined;
  }

  /** All in one session, which ends with the process. If it is not answered, nothing is: what else waits for the server ends as well. */
  async #ask(statement: string, values: unknown[] = []) {
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
