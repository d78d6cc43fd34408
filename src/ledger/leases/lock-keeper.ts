import { setImmediate } from 'node:timers/promises';
import { reasonOf, StoreError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import type { Lease } from './lease.ts';
import type { LeaseSql } from './lease-sql.ts';

/** A lock that this process holds. */
export interface HeldLock {
  readonly isHeld: true;
  readonly lease: Lease;
  /** Rejects if the lock has ended. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/** A lock that another process, or other work in this process, holds. */
export interface TakenLock {
  readonly isHeld: false;
  /** Name of the process that holds the lock. Undefined if the lock was given back just now. */
  readonly holder: string | undefined;
}

/** Asks the server in the session of the leases. */
export type AskInSession = (statement: string, values?: unknown[]) => ReturnType<Queryable['query']>;

/** The lease of the process, by which its locks are held. */
interface Holding {
  hold(): Promise<Lease>;
  sweep(): Promise<void>;
}

interface LockKeeperDeps {
  readonly ask: AskInSession;
  readonly sql: LeaseSql;
  readonly sessionName: string;
  readonly log: Logger | undefined;
}

/** Takes and gives back the locks of one process. */
export class LockKeeper {
  readonly #process: Holding;
  readonly #deps: LockKeeperDeps;
  readonly #held = new Set<string>();
  readonly #taking = new Map<string, Promise<unknown>>();
  /** Names of locks that could not be given back yet. */
  readonly #unreleased = new Set<string>();

  constructor(process: Holding, parts: LockKeeperDeps) {
    this.#process = process;
    this.#deps = parts;
  }

  async tryLock(name: string): Promise<HeldLock | TakenLock> {
    // An earlier attempt ends first. If its answer came too late for the caller, its lock is given back at
    // once.
    for (let taking = this.#taking.get(name); taking !== undefined; taking = this.#taking.get(name)) {
      await taking.catch(() => undefined);
      await setImmediate();
    }
    if (this.#held.has(name)) return { isHeld: false, holder: this.#deps.sessionName };
    this.#held.add(name);
    const taking = this.#takeOrTell(name).finally(() => this.#taking.delete(name));
    this.#taking.set(name, taking);
    return taking;
  }

  async #takeOrTell(name: string): Promise<HeldLock | TakenLock> {
    try {
      const lease = await this.#process.hold();
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
    return (await this.#deps.ask(this.#deps.sql.lock, [name, lease.id])).rowCount === 1;
  }

  async #takeAfterSweep(name: string, lease: Lease): Promise<boolean> {
    await this.#process.sweep();
    return this.#take(name, lease);
  }

  #heldLock(name: string, lease: Lease): HeldLock {
    return {
      isHeld: true,
      lease,
      check: async () => {
        const { rowCount } = await this.#deps.ask(this.#deps.sql.isHeld, [name, lease.id]);
        if (lease.hasEnded || rowCount === 0)
          throw new StoreError('ledger.lease_ended', lease.endedMessage, { action: 'retry' });
      },
      release: async () => {
        this.#held.delete(name);
        if (lease.hasEnded) return;
        this.#unreleased.add(name);
        await this.giveBack(lease);
      },
    };
  }

  /**
   * Gives back locks. A lock that cannot be given back now is given back with the next renewal, or ends with
   * the lease.
   */
  async giveBack(lease: Lease): Promise<void> {
    const names = [...this.#unreleased];
    if (names.length === 0) return;
    try {
      await this.#deps.ask(this.#deps.sql.unlock, [names, lease.id]);
      for (const name of names) this.#unreleased.delete(name);
    } catch (error) {
      this.#deps.log?.debug({ names, ...reasonOf(error) }, 'locks are given back later');
    }
  }

  /** Forgets the locks that were not given back. They ended with their lease. */
  forgetLate(): void {
    this.#unreleased.clear();
  }

  async #readHolder(name: string): Promise<string | undefined> {
    const { rows } = await this.#deps.ask(this.#deps.sql.holder, [name]);
    return rows[0]?.holder as string | undefined;
  }
}
