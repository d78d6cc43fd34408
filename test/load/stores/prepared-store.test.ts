import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { MissingDatabaseError } from '../../../src/load/stores/missing-database.ts';
import { prepareLater } from '../../../src/load/stores/prepared-store.ts';
import type { PointBatch, PointStore } from '../../../src/load/stores/store.ts';

const batch: PointBatch = { stream: 'history', range: { from: 0, to: 1 }, series: [], fresh: true };
const result = { written: 0, skipped: 0, refused: [] };

/** Makes a store that is down for the first `times` calls of `prepare`. */
function storeDownFor(times: number): { store: PointStore; calls: string[] } {
  const calls: string[] = [];
  const store: PointStore = {
    kind: 'influx',
    id: 'influx:test',
    async prepare() {
      calls.push('prepare');
      if (calls.filter((call) => call === 'prepare').length <= times)
        throw new StoreError('influx.unreachable', 'down', { action: 'retry' });
      return true;
    },
    async write() {
      calls.push('write');
      return result;
    },
    async writePolls() {
      calls.push('writePolls');
      return result;
    },
    held: async (_, points) => points,
    async *read() {
      calls.push('read');
      yield* [];
    },
    async readPage({ series }) {
      calls.push('readPage');
      return { series, times: [], values: [], texts: [], qualities: [] };
    },
    async reduceNumbers() {
      calls.push('reduceNumbers');
      return [];
    },
    async reduceTexts() {
      calls.push('reduceTexts');
      return [];
    },
    async close() {},
  };
  return { store, calls };
}

describe('prepareLater', () => {
  it('prepares once, however often it writes', async () => {
    const { store, calls } = storeDownFor(0);
    const prepared = prepareLater(store, async () => void calls.push('made'));
    await prepared.prepare();
    await prepared.write(batch, async () => {});
    await prepared.writePolls([]);
    expect(calls).toEqual(['prepare', 'made', 'write', 'writePolls']);
  });

  it('writes nothing before it is prepared, and tries again at the next write', async () => {
    const { store, calls } = storeDownFor(2);
    const prepared = prepareLater(store, async () => void calls.push('made'));
    await expect(prepared.prepare()).rejects.toThrow('down');
    await expect(prepared.write(batch, async () => {})).rejects.toThrow('down');
    await prepared.write(batch, async () => {});
    expect(calls).toEqual(['prepare', 'prepare', 'prepare', 'made', 'write']);
  });

  it('prepares again, once, and repeats the writes that find the database gone', async () => {
    const { store, calls } = storeDownFor(0);
    let isGone = true;
    const write = store.write;
    const prepared = prepareLater(
      {
        ...store,
        async prepare() {
          if (calls.includes('write')) isGone = false;
          return store.prepare();
        },
        async write(...batch) {
          const result = await write(...batch);
          if (isGone)
            throw new MissingDatabaseError('influx.missing_database', 'gone', { label: 'InfluxDB' });
          return result;
        },
      },
      async () => void calls.push('made'),
    );
    await Promise.all([prepared.write(batch, async () => {}), prepared.write(batch, async () => {})]);
    expect(calls).toEqual(['prepare', 'made', 'write', 'write', 'prepare', 'made', 'write', 'write']);
  });

  it('reads nothing before it is prepared, and removes only if the store can', async () => {
    const { store, calls } = storeDownFor(1);
    const prepared = prepareLater(store, async () => void calls.push('made'));
    const readAll = async () => {
      for await (const _ of prepared.read({ ...batch, series: [] })) throw new Error('there is nothing');
    };
    await expect(readAll()).rejects.toThrow('down');
    await readAll();
    expect(calls).toEqual(['prepare', 'prepare', 'made', 'read']);
    expect(prepared.remove).toBeUndefined();
  });
});
