import { type Clock, formatCount, plural, spanText } from '../count-text.ts';
import { sayUnread } from '../unread-series.ts';
import type { MissingData, ProblemFacts, WhyMissing } from './problem-facts.ts';

/** What a language has to say about problems. The page has another language with the same members. */
export interface ProblemWords {
  /** Says that everything is stored. Without `upTo` no history is wanted. */
  complete(upTo: string | undefined, clock: Clock): string;
  problem(facts: ProblemFacts, clock: Clock): string;
  more(count: number): string;
  /** Makes one sentence of several. */
  join(sentences: readonly string[]): string;
}

/** The English words, which logs, commands and the page share. */
export const englishWords: ProblemWords = {
  complete: (upTo, clock) =>
    upTo === undefined
      ? 'everything is up to date; no history is wanted'
      : `everything is stored up to ${clock(upTo)}`,
  problem: sayProblem,
  more: (count) => `and ${plural(count, 'more problem')}`,
  join: (sentences) => sentences.join('; '),
};

/** How many problems the sentence names. */
const NAMED = 2;

export interface WholeSentence {
  /** Undefined if not everything is stored, or nobody knows. */
  readonly complete?: { readonly upTo?: string | undefined } | undefined;
  readonly problems: readonly { readonly facts: ProblemFacts }[];
}

/** Says in one sentence whether everything is stored, and the worst problems. */
export function sayWhole({ complete, problems }: WholeSentence, words: ProblemWords, clock: Clock): string {
  const others = problems.length - NAMED;
  return words.join([
    ...(complete === undefined ? [] : [words.complete(complete.upTo, clock)]),
    ...problems.slice(0, NAMED).map(({ facts }) => words.problem(facts, clock)),
    ...(others > 0 ? [words.more(others)] : []),
  ]);
}

function sayProblem(facts: ProblemFacts, clock: Clock): string {
  switch (facts.says) {
    case 'ledger-unread':
      return `the ledger cannot be read: ${facts.cause.text}`;
    case 'ledger-refused':
      return facts.cause.text;
    case 'disk-full':
      return `${facts.title} has no room on its disk since ${clock(facts.since)}: it stores nothing`;
    case 'away': {
      const { title, behindSec, since, cause } = facts;
      const away = behindSec === undefined ? 'away' : `${spanText(behindSec)} behind, and away`;
      return `${title} is ${away} since ${clock(since)}: ${cause.text}`;
    }
    case 'no-token':
      return `the platform gives no access token since ${clock(facts.since)}: ${facts.cause.text}`;
    case 'silent': {
      const { role, pid, host, since } = facts;
      return `plantsync run (role ${role}, process ${pid} on ${host}) gives no sign of life since ${clock(since)}`;
    }
    case 'overdue': {
      const { job, due, lateSec } = facts;
      return `${job} is overdue by ${spanText(lateSec)}: it was due at ${clock(due)}, and nothing runs it`;
    }
    case 'paused':
      return `${facts.target === '*' ? 'everything' : facts.target} is paused since ${clock(facts.since)}`;
    case 'missing':
      return sayMissing(facts, clock);
    case 'run-failed':
      return sayFailedRun(facts, clock);
    case 'differs': {
      const { title, points, series, found } = facts;
      return `${title} differs from the platform in ${plural(points, 'point')} of ${countSeries(series)}, as the comparison of ${clock(found)} found`;
    }
    case 'rejects': {
      const { open, streams } = facts;
      return `${plural(open, 'reject')} of ${streams.join(', ')} ${open === 1 ? 'is' : 'are'} open`;
    }
    case 'values-lost':
      return `${plural(facts.count, 'polled value')} were lost while PostgreSQL was away`;
    case 'nothing-read':
      return 'nothing was read yet';
  }
}

function sayMissing({ stores, late, gaps, why }: MissingData, clock: Clock): string {
  const [be, lack] = stores.length > 1 ? ['are', 'lack'] : ['is', 'lacks'];
  const parts = [
    // The number of series is said once.
    ...(late === undefined || (late.bySec === undefined && gaps?.series === late.series)
      ? []
      : [`${be} ${sayLate(late, clock)}`]),
    ...(gaps === undefined
      ? []
      : [
          `${lack} ${formatHours(gaps.hours)} h of ${countSeries(gaps.series)}, the oldest from ${clock(gaps.oldest)}`,
        ]),
  ];
  const because = why === undefined ? '' : `: ${sayWhy(why, clock)}`;
  return `${joinNames(stores)} ${parts.join(', and ')}${because}`;
}

function sayLate({ series, bySec, since }: NonNullable<MissingData['late']>, clock: Clock): string {
  const some = countSeries(series);
  if (bySec === undefined || since === undefined) return `behind in ${some}`;
  return `${spanText(bySec)} behind in ${some} since ${clock(since)}`;
}

function sayWhy(why: WhyMissing, clock: Clock): string {
  switch (why.is) {
    case 'paused':
      return 'history is paused';
    case 'no-service':
      return 'no service is alive';
    case 'backfill':
      return 'a backfill is running';
    case 'failed':
      return why.cause.text;
    case 'unread': {
      const more = why.more === 1 ? '1 more reason is' : `${formatCount(why.more)} more reasons are`;
      return `${sayUnread(why, clock)}${why.more === 0 ? '' : `; ${more} in the run`}`;
    }
  }
}

function sayFailedRun(
  { stream, begun, ended, cause }: Extract<ProblemFacts, { says: 'run-failed' }>,
  clock: Clock,
): string {
  const words = { failed: 'failed', partial: 'brought a part only', lost: 'was lost with its process' };
  const why = cause === undefined ? '' : `: ${cause.text}`;
  return `the run of ${stream} of ${clock(begun)} ${words[ended]}${why}`;
}

const countSeries = (count: number): string => plural(count, 'series', 'series');

/** Writes hours with three digits that matter. */
export function formatHours(hours: number): string {
  return hours.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

function joinNames(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
