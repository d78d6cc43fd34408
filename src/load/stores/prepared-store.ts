import { withoutGiveUp } from '../../postgres/give-up.ts';
import { MissingDatabaseError } from './missing-database.ts';
import type { PointStore } from './store.ts';

/**
 * Returns the store with a `prepare` before its first write, until `prepare` has once succeeded. A write that
 * finds its database dropped prepares the store again, and is then repeated. `onMade` runs whenever `prepare`
 * made the database.
 */
export function prepareLater(store: PointStore, onMade: () => Promise<unknown>): PointStore {
  let prepared: Promise<boolean> | undefined;
  const prepareNow = async (): Promise<boolean> => {
    const made = await store.prepare();
    if (made) await onMade();
    return made;
  };
  const prepare = (): Promise<boolean> => {
    prepared ??= withoutGiveUp(prepareNow).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  const whenPrepared = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = prepare();
    await before;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof MissingDatabaseError)) throw error;
      // If several writes find the database missing, the first of them prepares the store.
      if (prepared === before) prepared = undefined;
      await prepare();
      return await work();
    }
  };
  const { events } = store;
  return {
    ...(events && {
      events: { id: events.id, write: (all) => whenPrepared(() => events.write(all)) },
    }),
    kind: store.kind,
    id: store.id,
    prepare,
    write: (batch, commit) => whenPrepared(() => store.write(batch, commit)),
    writePolls: (...polls) => whenPrepared(() => store.writePolls(...polls)),
    held: (stream, points) => store.held(stream, points),
    async *read(stretch) {
      await prepare();
      yield* store.read(stretch);
    },
    async readPage(page) {
      await prepare();
      return store.readPage(page);
    },
    async reduceNumbers(reduction) {
      await prepare();
      return store.reduceNumbers(reduction);
    },
    async reduceTexts(reduction) {
      await prepare();
      return store.reduceTexts(reduction);
    },
    ...(store.describeRead && { describeRead: store.describeRead }),
    ...(store.surplus && {
      surplus: async (batch) => {
        await prepare();
        return (await store.surplus?.(batch)) ?? [];
      },
    }),
    ...(store.remove && {
      remove: async (stream, removals, uncover) => {
        await prepare();
        await store.remove?.(stream, removals, uncover);
      },
    }),
    retentionMs: () => store.retentionMs?.(),
    close: () => store.close(),
  };
}
