import type { RejectRecord } from '../../ledger/rejects/rejects.ts';
import type { SyncContext } from '../context.ts';
import type { RunSummary } from '../run-summary.ts';

/** What became of one reject that was tried again. */
export interface Replayed {
  readonly reject: RejectRecord;
  /** `refused`: the reject was met again. `open`: it was not met, and nothing proves that it is over. */
  readonly outcome: 'resolved' | 'refused' | 'open';
  /** Says why the reject is not resolved. */
  readonly note?: string | undefined;
}

export interface Replay {
  readonly cases: Replayed[];
  readonly runs: RunSummary[];
}

/** Most rejects that are read. More are never open. */
const ALL = 1_000_000;

/** Reads the open rejects of a stream, by number. */
export async function readOpen(ctx: SyncContext, stream: string): Promise<Map<number, RejectRecord>> {
  const open = await ctx.ledger.rejects.list({ stream, limit: ALL });
  return new Map(open.map((reject) => [reject.id, reject]));
}

/**
 * Compares rejects of one stream with their present state in the ledger. `noteOf` tells why a reject is still
 * open that did not recur.
 */
export async function judge(
  ctx: SyncContext,
  rejects: readonly RejectRecord[],
  noteOf: (reject: RejectRecord) => string,
): Promise<Replayed[]> {
  const stream = rejects[0]?.stream;
  const open = stream === undefined ? new Map<number, RejectRecord>() : await readOpen(ctx, stream);
  return rejects.map((reject): Replayed => {
    const now = open.get(reject.id);
    if (now === undefined) return { reject, outcome: 'resolved' };
    if (now.count > reject.count) return { reject: now, outcome: 'refused' };
    return { reject: now, outcome: 'open', note: noteOf(reject) };
  });
}
