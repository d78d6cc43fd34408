import { expect, it } from 'vitest';
import { listDiffering, type Verification } from '../../../src/sync/status/verifications.ts';

const equal = { missing: 0, extra: 0, different: 0, series: 0 };

function verification({
  isRepaired = false,
  missing = 0,
  ...more
}: Partial<Verification> & {
  isRepaired?: boolean;
  missing?: number;
}): Verification {
  const store = { ...equal, kind: 'postgres', missing, series: missing > 0 ? 1 : 0, isRepaired };
  return {
    ...{
      run: 1,
      kind: 'verify pump*',
      at: 0,
      from: 100,
      to: 200,
      isWhole: true,
      stores: { 'postgres:a': store },
    },
    ...more,
  };
}

const found = verification({ missing: 3 });
const isOpen = (...later: Verification[]) =>
  listDiffering([...later, found]).some(({ from }) => from === found);

it('lists what a comparison found until a later one over all of the range finds nothing, or repairs it', () => {
  const all = { run: 2, kind: 'verify' };
  expect(isOpen()).toBe(true);
  expect(isOpen(verification(all))).toBe(false);
  expect(isOpen(verification({ ...all, missing: 3, isRepaired: true }))).toBe(false);
  expect(isOpen(verification({ ...all, missing: 3 }))).toBe(true);
  expect(isOpen(verification({ ...all, from: 101 }))).toBe(true);
  expect(isOpen(verification({ ...all, to: 199 }))).toBe(true);
  expect(isOpen(verification({ ...all, isWhole: false }))).toBe(true);
  expect(isOpen(verification({ ...all, run: 0 }))).toBe(true);
  expect(isOpen(verification({ ...all, stores: {} }))).toBe(true);
  expect(isOpen(verification({ run: 2, kind: 'verify valve*' }))).toBe(true);
});
