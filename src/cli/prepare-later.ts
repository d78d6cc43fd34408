import type { PointStore } from '../load/store.ts';

/** The store, prepared before its first write if `prepare` has not succeeded until then; `onMade` runs if it had to be made. */
export function prepareLater(store: PointStore, onMade: () => Promise<unknown>): PointStore {
  let prepared: Promise<boolean> | undefined;
  const prepareNow = async (): Promise<boolean> => {
    const made = await store.prepare();
    if (made) await onMade();
    return made;
  };
  const prepare = (): Promise<boolean> => {
    prepared ??= prepareNow().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  const { events } = store;
  return {
    ...(events && {
      events: {
        id: events.id,
        write: async (all) => {
          await prepare();
          return events.write(all);
        },
      },
    }),
    kind: store.kind,
    id: store.id,
    prepare,
    write: async (batch, commit) => {
      await prepare();
      return store.write(batch, commit);
    },
    writePolls: async (...polls) => {
      await prepare();
      return store.writePolls(...polls);
    },
    held: (stream, points) => store.held(stream, points),
    async *read(stretch) {
      await prepare();
      yield* store.read(stretch);
    },
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
