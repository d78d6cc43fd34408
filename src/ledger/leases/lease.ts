import { StoreError } from '../../errors.ts';
import type { Fence } from '../../postgres/fence.ts';
import { steadyMs } from '../../steady-clock.ts';
import { LEASE_MS } from './lease-sql.ts';

const endedMessage =
  `this process stood still, or had no connection to PostgreSQL, for more than ${LEASE_MS / 1000} s, ` +
  'or PostgreSQL has become another server, so its lease has ended. ' +
  'Other processes may have gone on with its work, so it writes nothing more. The work is done again when it is due';

export interface LeaseDeps {
  readonly id: number;
  readonly checkSql: string;
  /** Asks the server to prolong the lease. Resolves to false if the lease has ended. */
  readonly renew: () => Promise<boolean>;
}

/**
 * The right of this process to work and to write. The lease is renewed all the time. Once ended, it never
 * comes back.
 */
export class Lease implements Fence {
  readonly id: number;
  readonly checkSql: string;
  readonly endedMessage = endedMessage;
  readonly #renew: () => Promise<boolean>;
  #hasEnded = false;
  /**
   * When the lease was last known to hold, by two clocks: one that nobody sets, and one that goes on while
   * the machine sleeps.
   */
  #heldAt: Instants;

  constructor({ id, checkSql, renew }: LeaseDeps, begunAt: Instants) {
    this.id = id;
    this.checkSql = checkSql;
    this.#renew = renew;
    this.#heldAt = begunAt;
  }

  /** True if the lease has ended as far as this process knows. The server may have ended it earlier. */
  get hasEnded(): boolean {
    return this.#hasEnded || steadyMs() - this.#heldAt.steadyMs > LEASE_MS;
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Renews the lease. Resolves to false if it no longer holds. Rejects if the server does not answer. */
  async renew(): Promise<boolean> {
    if (this.hasEnded) return false;
    // The clocks are read before the request, because the server counts from a later moment.
    const asked = readInstants();
    const holds = await this.#renew();
    if (holds) this.#heldAt = asked;
    else this.end();
    return holds && !this.hasEnded;
  }

  async confirm(): Promise<void> {
    const isFresh = !this.hasEnded && Math.abs(Date.now() - this.#heldAt.wallMs) < LEASE_MS;
    if (!isFresh && !(await this.renew()))
      throw new StoreError('ledger.lease_ended', endedMessage, { action: 'retry' });
  }
}

export interface Instants {
  readonly steadyMs: number;
  readonly wallMs: number;
}

/** Reads both clocks. */
export function readInstants(): Instants {
  return { steadyMs: steadyMs(), wallMs: Date.now() };
}
