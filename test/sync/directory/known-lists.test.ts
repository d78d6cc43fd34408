import { expect, test } from 'vitest';
import type { KnownContent } from '../../../src/ledger/reads.ts';
import { KnownLists } from '../../../src/sync/directory/known-lists.ts';
import { writeContent } from '../../../src/sync/directory/list-content.ts';

test('very many lists are looked up in portions, each by its owner', async () => {
  const owners = Array.from({ length: 2_500 }, (_, k) => ({ id: `["pump${k}"]`, changedAt: k }));
  const contentOf = ({ id, changedAt }: { id: string; changedAt: number }): KnownContent => ({
    content: writeContent({
      ...{ seal: `seal${changedAt}`, comparedSec: 1_000, isOnePage: true, isSettled: true },
      units: [{ digest: id, records: 1, drift: '' }],
    }),
    version: `load of ${id}`,
  });
  // The list of every third owner was never loaded.
  const kept = new Map(owners.filter((_, k) => k % 3 > 0).map((owner) => [owner.id, contentOf(owner)]));
  const asked: number[] = [];
  const lists = new KnownLists(
    async (ids) => {
      asked.push(ids.length);
      return new Map([...kept].filter(([id]) => ids.includes(id)));
    },
    { seal: 'seal', maxAgeSec: 1_000_000, nowSec: 1_001 },
  );
  const found: string[] = [];
  for await (const portion of lists.findEach(owners))
    for (const { owner, known } of portion) {
      expect(known.id).toBe(owner.id);
      found.push(known.content?.units[0]?.digest ?? 'never loaded');
    }
  expect(found).toEqual(owners.map(({ id }, k) => (k % 3 > 0 ? id : 'never loaded')));
  expect(asked).toEqual([1_000, 1_000, 500]);
  expect(await lists.find(owners[1])).toMatchObject({ version: 'load of ["pump1"]', seal: 'seal1' });
});
