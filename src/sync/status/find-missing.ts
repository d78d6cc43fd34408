import { EVERYTHING } from '../../ledger/control.ts';
import { HISTORY } from '../../series/history-stream.ts';
import { causeOf } from '../brief-reason.ts';
import { groupBy } from '../history/group-by.ts';
import type { RunSummary } from '../run-summary.ts';
import type { LedgerFacts } from './overview-facts.ts';
import type { FoundProblem, Seen, SeenStore } from './overview-types.ts';
import type { MissingData, WhyMissing } from './problem-facts.ts';

/**
 * Finds what stores lack: series that are late, and gaps. Stores that lack the same make one problem, which
 * also says why.
 */
export function findMissing(seen: Seen): FoundProblem[] {
  const found = seen.stores.flatMap((store) => {
    const facts = describeMissing(store, seen);
    return facts === undefined ? [] : [{ store, facts }];
  });
  return groupBy(found, ({ facts }) => JSON.stringify({ ...facts, stores: [] })).map((alike) => {
    const [{ facts }] = alike;
    return {
      level: 'late',
      kind: facts.late === undefined ? 'gaps' : 'store-behind',
      subject: alike.map(({ store }) => store.kind).join(', '),
      since: facts.late?.since ?? facts.gaps?.oldest,
      facts: { ...facts, stores: alike.map(({ store }) => store.title) },
      remedy: facts.isServed
        ? '`plantsync gaps` lists the ranges; the service reads them by itself, or `plantsync sync history`.'
        : '`plantsync gaps` lists the ranges; start `plantsync run`, or run `plantsync sync history`.',
    };
  });
}

function describeMissing(
  { kind, title, seriesBehind, storedUpTo, behindSec, gaps: all }: SeenStore,
  { dependencies, facts }: Seen,
): MissingData | undefined {
  // A store that is away is told as such, with how far it is behind.
  const isAway = dependencies.some(({ name, state }) => name === kind && state === 'down');
  // Series that have a gap from the begin on are told by it.
  const isToldByGap = storedUpTo === undefined && seriesBehind === all.series;
  const late =
    seriesBehind === 0 || isAway || isToldByGap
      ? undefined
      : { series: seriesBehind, bySec: behindSec, since: toSecond(storedUpTo) };
  const { hours, series, oldest = '' } = all;
  const gaps =
    series === 0 || oldest === ''
      ? undefined
      : { hours: Number(hours.toPrecision(3)), series, oldest: toSecond(oldest) ?? '' };
  if (late === undefined && gaps === undefined) return undefined;
  const why = whyMissing(facts);
  const isServed = facts.services.some((each) => each.isAlive);
  return {
    ...{ says: 'missing', stores: [title], isServed },
    ...(late && { late }),
    ...(gaps && { gaps }),
    // Why a store is away is told with it.
    ...(why !== undefined && (!isAway || why.is === 'unread') && { why }),
  };
}

function whyMissing({ services, pauses, runs, backfills }: LedgerFacts): WhyMissing | undefined {
  const run = runs.find(({ stream, status }) => stream === HISTORY && status !== 'running');
  if (pauses.some(({ target }) => target === EVERYTHING || target === HISTORY)) return { is: 'paused' };
  if (services.length > 0 && services.every(({ isAlive }) => !isAlive)) return { is: 'no-service' };
  if (run?.status === 'failed' || run?.status === 'partial') {
    const [unread, ...more] = (run.summary as Partial<RunSummary> | null)?.unread ?? [];
    if (unread !== undefined) return { is: 'unread', ...unread, more: more.length };
    return run.error === undefined ? undefined : { is: 'failed', cause: causeOf(run.error) };
  }
  return backfills.length > 0 ? { is: 'backfill' } : undefined;
}

/** Tells whether a run failed for the reason that a problem of missing data already gives. */
export function isToldAsMissing({ facts }: FoundProblem, missing: readonly FoundProblem[]): boolean {
  if (facts.says !== 'run-failed' || facts.stream !== HISTORY) return false;
  return missing.some(
    (other) =>
      other.facts.says === 'missing' &&
      (other.facts.why?.is === 'unread' || other.facts.why?.is === 'failed'),
  );
}

/** Stores that differ by less than a second lack the same. */
function toSecond(time: string | undefined): string | undefined {
  return time === undefined ? undefined : `${time.slice(0, 19)}Z`;
}
