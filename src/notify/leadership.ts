import { PlantsyncError } from '../errors.ts';
import type { HeldLock, TakenLock } from '../ledger/leases/lock-keeper.ts';

const LOCK = 'notices';

interface Locks {
  tryLock(name: string): Promise<HeldLock | TakenLock>;
}

/**
 * The right to tell webhooks, which one process has by a lock in Postgres. While Postgres is away, the
 * process that had the right keeps it. Before Postgres was ever there, the process decides by its role.
 */
export class TellingRight {
  #lock: HeldLock | undefined;
  #tells: boolean;

  constructor({ tellsAtFirst }: { readonly tellsAtFirst: boolean }) {
    this.#tells = tellsAtFirst;
  }

  get tells(): boolean {
    return this.#tells;
  }

  /** Takes the lock, or looks whether this process still has it. Throws if Postgres does not answer. */
  async renew(locks: Locks): Promise<void> {
    if (this.#lock !== undefined)
      try {
        await this.#lock.check();
        return;
      } catch (error) {
        if (!(error instanceof PlantsyncError) || error.code !== 'ledger.lease_ended') throw error;
        await this.#lock.release();
        this.#lock = undefined;
      }
    const taken = await locks.tryLock(LOCK);
    this.#lock = taken.isHeld ? taken : undefined;
    this.#tells = taken.isHeld;
  }

  /** Gives the lock back, so that another process takes it at once. */
  async release(): Promise<void> {
    const lock = this.#lock;
    this.#lock = undefined;
    this.#tells = false;
    await lock?.release();
  }
}
