import { reasonOf, StoreError } from '../../errors.ts';
import type { PointBatch, PointStore, Removal } from '../../load/stores/store.ts';
import type { SyncContext } from '../context.ts';

/**
 * Writes a batch that is read again, after the store has forgotten the former form of points that have changed it (a text that was a
 * number). Their range is called stored no longer before they go, and again when the batch is written: a kill in between leaves a gap, which
 * the next run fills. Other fillings are kept off it meanwhile. What cannot be cleared stays as it is, and `verify` finds it.
 */
export async function writeCleared<T>(
  ctx: SyncContext,
  { store, batch, write }: { store: PointStore; batch: PointBatch; write: () => Promise<T> },
): Promise<T> {
  if (batch.fresh || store.remove === undefined) return write();
  const removals = await findSurplus(ctx, store, batch);
  if (removals.length === 0) return write();
  const { stream, range } = batch;
  const seriesIds = removals.map(({ series }) => series.id);
  const claimant = ctx.ledger.claims.begin();
  try {
    const taken = await claimant.take({ stream, range, seriesIds, stores: [store.id] });
    const uncover = () => ctx.ledger.coverage.remove({ store: store.id, stream, range, seriesIds });
    if (taken !== undefined) await removeWhereAllowed(ctx, { store, stream, removals, uncover });
    return await write();
  } finally {
    await claimant.end();
  }
}

interface Clearing {
  readonly store: PointStore;
  readonly stream: string;
  readonly removals: readonly Removal[];
  readonly uncover: () => Promise<void>;
}

/** Where a removal would hit what other writers have, the store refuses it, and nothing has changed. */
async function removeWhereAllowed({ log }: SyncContext, { store, stream, removals, uncover }: Clearing) {
  try {
    await store.remove?.(stream, removals, uncover);
  } catch (error) {
    if (!(error instanceof StoreError) || error.action !== 'skip') throw error;
    log.warn({ stream, store: store.kind, code: error.code }, error.message);
  }
}

/** A store that takes points and cannot be asked for any is written all the same. */
async function findSurplus({ log }: SyncContext, store: PointStore, batch: PointBatch) {
  try {
    return (await store.surplus?.(batch)) ?? [];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log.debug(
      { stream: batch.stream, store: store.kind, ...reasonOf(error) },
      'former forms of points are not looked for',
    );
    return [];
  }
}
