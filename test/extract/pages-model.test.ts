import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ListScanEnd, readPages } from '../../src/extract/pages.ts';
import { type ListBehaviour, type ModelEntry, ModelList } from './model-list.ts';

const totals = ['exact', 'absent', 'first-page', 'zero', 'high', 'low', 'of-page', 'random'] as const;

/** A list that stays the same, on a platform that misleads in any way. */
const still = fc.record<ListBehaviour>({
  size: fc.integer({ min: 1, max: 9 }),
  total: fc.constantFrom(...totals),
  pastEnd: fc.constantFrom('empty', 'empty-and-0', 'last-page', 'last-entry'),
  ignoresPage: fc.boolean(),
  keylessEvery: fc.constantFrom(0, 0, 1, 2, 5),
  changes: fc.constant([]),
  delays: fc.array(fc.nat({ max: 9 }), { maxLength: 6 }),
});

const change = fc.record({
  request: fc.integer({ min: 1, max: 12 }),
  kind: fc.constantFrom('add' as const, 'remove' as const),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
});

const how = fc.record({
  pagesAtOnce: fc.integer({ min: 1, max: 6 }),
  trustTotal: fc.boolean(),
  proveEnd: fc.boolean(),
});

interface Read {
  readonly end: ListScanEnd;
  readonly ids: Set<number>;
}

async function read(
  list: ModelList,
  asked: { pagesAtOnce: number; trustTotal: boolean; proveEnd: boolean },
): Promise<Read> {
  const ids = new Set<number>();
  const end = await readPages(
    list,
    {
      operation: 'listPersons',
      pageSize: 100,
      keyOf: (record) => (record as ModelEntry).name,
      ...asked,
    },
    async ({ items }) => {
      await Promise.resolve();
      for (const item of items) ids.add((item as ModelEntry).id);
    },
  );
  return { end, ids };
}

const count = fc.integer({ min: 0, max: 60 });

/**
 * Returns the ids of the entries with a key. Only the total can tell one entry without a key from another.
 */
function keyed(ids: ReadonlySet<number>, { keylessEvery }: ListBehaviour): number[] {
  return [...ids].filter((id) => keylessEvery === 0 || id % keylessEvery !== 0);
}

/** Returns true for an empty list whose own total promises entries. Such a list proves nothing. */
function isDoubtful(entries: number, { total }: ListBehaviour): boolean {
  return entries === 0 && (total === 'high' || total === 'random');
}

describe('a list that holds still', () => {
  it('is delivered whole whenever that is claimed and its end was put to the proof', async () => {
    await fc.assert(
      fc.asyncProperty(count, still, how, async (entries, behaviour, asked) => {
        const list = new ModelList(entries, behaviour);
        const { end, ids } = await read(list, { ...asked, proveEnd: true });
        if (behaviour.ignoresPage && entries > behaviour.size) return;
        if (end.complete) expect(keyed(ids, behaviour)).toEqual(keyed(list.always, behaviour));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is delivered whole, and claimed to be, by a platform that gives an empty page past the end', async () => {
    await fc.assert(
      fc.asyncProperty(count, still, how, async (entries, given, asked) => {
        const behaviour = { ...given, pastEnd: 'empty' as const, ignoresPage: false, keylessEvery: 0 };
        const list = new ModelList(entries, behaviour);
        const { end, ids } = await read(list, { ...asked, proveEnd: true });
        if (isDoubtful(entries, behaviour)) {
          expect(end.unproven).toBe(end.complete ? undefined : true);
          return;
        }
        expect(end.complete).toBe(true);
        expect([...ids]).toEqual([...list.always]);
        if (behaviour.total !== 'of-page' && behaviour.total !== 'random') expect(end.stable).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is delivered without asking once more than its exact total needs', async () => {
    await fc.assert(
      fc.asyncProperty(count, still, how, async (entries, given, asked) => {
        const behaviour = { ...given, total: 'exact' as const, ignoresPage: false };
        const list = new ModelList(entries, behaviour);
        const { end, ids } = await read(list, { ...asked, trustTotal: true, proveEnd: false });
        expect(end).toEqual({ complete: true, stable: true, pages: list.requests, records: entries });
        expect([...ids]).toEqual([...list.always]);
        expect(list.requests).toBe(Math.max(1, Math.ceil(entries / behaviour.size)));
        expect(list.mostOpen).toBeLessThanOrEqual(asked.pagesAtOnce);
      }),
      { numRuns: 1_000 },
    );
  });

  it('whose total is wrong is delivered whole once that total is no longer trusted, and no total is called wrong in vain', async () => {
    await fc.assert(
      fc.asyncProperty(count, still, how, async (entries, given, asked) => {
        const behaviour = { ...given, pastEnd: 'empty' as const, ignoresPage: false, keylessEvery: 0 };
        const first = await read(new ModelList(entries, behaviour), { ...asked, trustTotal: true });
        const honest = behaviour.total === 'exact' || behaviour.total === 'first-page';
        if (honest || behaviour.total === 'absent') expect(first.end.totalIsWrong).toBeUndefined();
        const list = new ModelList(entries, behaviour);
        const { end, ids } = await read(list, { ...asked, trustTotal: false });
        expect([...ids]).toEqual([...list.always]);
        if (isDoubtful(entries, behaviour)) {
          expect(end.unproven).toBe(end.complete ? undefined : true);
          return;
        }
        expect(end).toMatchObject({ complete: true, stable: true });
        if (behaviour.total === 'high') expect(end.shortOfTotal).toBe(7);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a list that changes once while it is read', () => {
  it('misses nothing that was always there if it is claimed to have held still', async () => {
    await fc.assert(
      fc.asyncProperty(count, still, how, change, async (entries, given, asked, changed) => {
        const behaviour = {
          ...given,
          changes: [changed],
          total: 'exact' as const,
          pastEnd: 'empty' as const,
          ignoresPage: false,
          keylessEvery: 0,
        };
        const list = new ModelList(entries, behaviour);
        const { end, ids } = await read(list, { ...asked, trustTotal: true });
        expect(end.complete).toBe(true);
        if (end.stable) for (const id of list.always) expect(ids).toContain(id);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('a list that changes all the time, on a platform that misleads', () => {
  it('is read to some end', async () => {
    await fc.assert(
      fc.asyncProperty(count, still, how, fc.array(change), async (entries, given, asked, changes) => {
        const list = new ModelList(entries, { ...given, changes });
        const { end } = await read(list, asked);
        expect(list.requests).toBeLessThan(250);
        expect(end.complete).toBe(end.problem === undefined);
        expect(list.open).toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });
});
