import type { PointStore } from '../load/store.ts';

/** The store, prepared before its first write if `prepare` has not succeeded until then. */
export function prepareLater(store: PointStore): PointStore {
  let prepared: Promise<void> | undefined;
  const prepare = (): Promise<void> => {
    prepared ??= store.prepare().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  return {
    kind: store.kind,
    id: store.id,
    prepare,
    write: async (batch, commit) => {
      await prepare();
      return store.write(batch, commit);
    },
    writePolls: async (points, commit) => {
      await prepare();
      return store.writePolls(points, commit);
    },
    retentionMs: () => store.retentionMs?.(),
    close: () => store.close(),
  };
}
