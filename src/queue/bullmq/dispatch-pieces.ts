import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import { sleepOrWake } from '../../sleep.ts';
import { jobOptions } from './bull-queues.ts';

/** Name of the jobs that hold a piece. */
export const PIECE = 'piece';
/** Pieces in the queue at once, including those that workers have taken. */
const AT_ONCE = 32;
/** Time between two looks at what has ended, and between two attempts while Redis is down. */
const LOOK_MS = 200;
const AWAY_MS = 1_000;

export interface PieceWork<Piece, Result> {
  readonly pieces: Iterable<Piece>;
  /**
   * Takes the result of each piece. If it returns false, no further piece begins, and the work ends with the
   * pieces under way.
   */
  readonly onEnd: (piece: Piece, end: Result | { error: string }) => boolean;
  /** When aborted, takes back the pieces that no worker has begun. */
  readonly signal: AbortSignal;
}

/**
 * Lets workers do pieces of work, a bounded number at once. Resolves when all have ended. While Redis is down
 * it waits, and pieces that Redis has lost go into the queue again. Rejects with the signal's reason.
 */
export async function dispatchPieces<Piece, Result>(
  queue: Queue,
  { pieces, onEnd, signal }: PieceWork<Piece, Result>,
  onTrouble: (error: unknown) => void,
): Promise<void> {
  const rest = pieces[Symbol.iterator]();
  /** Pieces that still have to get into the queue. None of them may get lost on the way. */
  const next: [id: string, piece: Piece][] = [];
  const underWay = new Map<string, Piece>();
  let goesOn = true;
  const fill = async () => {
    while (underWay.size < AT_ONCE) {
      if (next.length === 0 && goesOn) {
        const { value, done } = rest.next();
        // The ids are random: a Redis that has lost its data would count from 1 again, and give ids that
        // others have.
        if (!done) next.push([`${PIECE}-${randomUUID()}`, value]);
      }
      const [[id, piece] = []] = next;
      if (id === undefined || piece === undefined) return;
      await queue.add(PIECE, piece, { ...jobOptions, jobId: id });
      next.shift();
      underWay.set(id, piece);
    }
  };
  const look = async () => {
    for (const [id, piece] of [...underWay]) {
      const job = await queue.getJob(id);
      if (job !== undefined && job.finishedOn === undefined) continue;
      underWay.delete(id);
      if (job === undefined) next.push([id, piece]);
      else goesOn = onEnd(piece, job.failedReason ? { error: job.failedReason } : job.returnvalue) && goesOn;
    }
  };
  try {
    for (;;) {
      signal.throwIfAborted();
      try {
        await fill();
        if (underWay.size === 0) return;
        await sleepOrWake(LOOK_MS, signal);
        await look();
      } catch (error) {
        onTrouble(error);
        await sleepOrWake(AWAY_MS, signal);
      }
    }
  } finally {
    // A piece that a worker has begun cannot be removed, and comes to its end.
    const ids = [...underWay.keys(), ...next.map(([id]) => id)];
    await Promise.allSettled(ids.map((id) => queue.remove(id)));
  }
}
