import type { Level, Overview, Problem } from './overview-types.ts';

/** Problems that say by themselves that not everything is stored. */
const ABOUT_STORAGE = ['ledger-unread', 'store-behind', 'gaps', 'nothing-read'];

/** Returns the worst level of all problems. */
export function levelOf(problems: readonly Problem[]): Level {
  if (problems.some(({ level }) => level === 'broken')) return 'broken';
  return problems.length > 0 ? 'late' : 'ok';
}

/** Returns up to when everything is stored. Returns undefined if not everything is, or nobody knows. */
export function seeComplete({
  problems,
  stores,
}: Pick<Overview, 'problems' | 'stores'>): Overview['complete'] {
  const upTo = stores.map(({ storedUpTo }) => storedUpTo);
  const isUnclear =
    upTo.includes(undefined) ||
    problems.some(
      ({ kind, subject }) =>
        ABOUT_STORAGE.includes(kind) ||
        subject === 'postgres' ||
        stores.some((store) => store.kind === subject),
    );
  if (isUnclear) return undefined;
  const [oldest] = upTo.filter((time) => time !== undefined).sort();
  if (oldest !== undefined) return { upTo: oldest };
  return problems.length > 0 ? undefined : {};
}
