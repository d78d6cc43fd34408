import { clockText, plural } from '../count-text.ts';
import type { Level, Overview, Problem } from './overview-types.ts';

/** Problems that the sentence names. */
const NAMED = 2;
/** Problems that say by themselves that not everything is stored. */
const ABOUT_STORAGE = ['ledger-unread', 'store-behind', 'gaps', 'nothing-read'];

/** Returns the worst level of all problems. */
export function levelOf(problems: readonly Problem[]): Level {
  if (problems.some(({ level }) => level === 'broken')) return 'broken';
  return problems.length > 0 ? 'late' : 'ok';
}

/** Says in one sentence whether everything is stored, and the worst problems. */
export function sayInOneSentence({
  problems,
  stores,
  nowMs,
}: Pick<Overview, 'problems' | 'stores'> & { readonly nowMs: number }): string {
  const others = problems.length - NAMED;
  return [
    ...sayStored({ problems, stores, nowMs }),
    ...problems.slice(0, NAMED).map(({ sentence }) => sentence),
    ...(others > 0 ? [`and ${plural(others, 'more problem')}`] : []),
  ].join('; ');
}

function sayStored({
  problems,
  stores,
  nowMs,
}: Pick<Overview, 'problems' | 'stores'> & { readonly nowMs: number }): string[] {
  const upTo = stores.map(({ storedUpTo }) => storedUpTo);
  const isUnclear =
    upTo.includes(undefined) ||
    problems.some(
      ({ kind, subject }) =>
        ABOUT_STORAGE.includes(kind) ||
        subject === 'postgres' ||
        stores.some((store) => store.kind === subject),
    );
  if (isUnclear) return [];
  const [oldest] = upTo.filter((time) => time !== undefined).sort();
  if (oldest !== undefined) return [`everything is stored up to ${clockText(oldest, nowMs)}`];
  return problems.length > 0 ? [] : ['everything is up to date; no history is wanted'];
}
