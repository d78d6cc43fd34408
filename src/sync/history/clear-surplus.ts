import { reasonOf, StoreError } from '../../errors.ts';
import type { PointBatch, PointStore, Removal } from '../../load/stores/store.ts';
import type { SyncContext } from '../context.ts';

/**
 * Writes a batch that is read again, after the store has removed surplus. Surplus is the former form of
 * points that changed their form, such as a text that was a number. The range is uncovered before the
 * removal, and covered again by the write. A kill in between leaves a gap, which the next run fills. Claims
 * keep other fillings off the range meanwhile. Surplus that cannot be removed stays, and `verify` finds it.
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

/**
 * Removes the surplus. The store refuses a removal that would hit points of other writers; nothing has
 * changed then.
 */
async function removeWhereAllowed({ log }: SyncContext, { store, stream, removals, uncover }: Clearing) {
  try {
    await store.remove?.(stream, removals, uncover);
  } catch (error) {
    if (!(error instanceof StoreError) || error.action !== 'skip') throw error;
    log.warn({ stream, store: store.kind, code: error.code }, error.message);
  }
}

/**
 * Finds the surplus of a batch. A store that takes points but answers no questions has none, and is written
 * all the same.
 */
async function findSurplus({ log }: SyncContext, store: PointStore, batch: PointBatch) {
  try {
    return (await store.surplus?.(batch)) ?? [];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log.debug(
      { stream: batch.stream, store: store.kind, ...reasonOf(error) },
      'the store did not say which points have a former form; they stay',
    );
    return [];
  }
}
