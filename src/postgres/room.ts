import type { Client } from 'pg';

const DISK_FULL = '53100';
/** Makes a table of some hundred kilobytes, for which the server has to make its files larger. */
const PROBE = `create temp table room_probe on commit drop as
  select repeat(md5(n::text), 20) as filler from generate_series(1, 1000) as n`;

/**
 * Remembers whether a server lacked room on its disk. It also tells when a pooler lacks room for a connection
 * that everything depends on. Databases of one process that use the same server share it.
 */
export class RoomWatch {
  #isDoubted = false;
  readonly #spares: (() => void)[] = [];

  /** Does work when a session that everything depends on gets no connection from a pooler. */
  onSeatNeeded(spare: () => void): void {
    this.#spares.push(spare);
  }

  /** Asks the other databases of the process to give up a connection. */
  needSeat(): void {
    for (const spare of this.#spares) spare();
  }

  /** Lets the next check try whether there is room, for a process that has written nothing yet. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** Notes an error that the server sent. */
  note({ code }: { readonly code?: string | undefined }): void {
    if (code === DISK_FULL) this.#isDoubted = true;
  }

  /**
   * Rejects while the server has no room, if a statement failed for that before. A server whose disk is full
   * answers every question, and keeps nothing.
   */
  async check(session: Client): Promise<void> {
    if (!this.#isDoubted) return;
    await session.query(PROBE);
    this.#isDoubted = false;
  }
}
