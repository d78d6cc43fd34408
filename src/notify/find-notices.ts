import type { Overview, Problem } from '../sync/status/overview-types.ts';
import { isReceiver, TOKEN } from '../sync/status/see-dependencies.ts';
import type { Noticed, NoticeEvent } from './notice.ts';

/** Events that are seen without the ledger. */
const SEEN_WITHOUT_LEDGER: readonly string[] = [
  'store-away',
  'platform-away',
  'redis-away',
  'ledger-unread',
  'webhook-failing',
];
/** Problems that stop the heartbeat, besides all that is broken. */
const STOPS_HEARTBEAT: readonly string[] = ['job-overdue', 'run-failed'];

/** Tells whether everything is alive, no job is overdue and no stream fails. */
export function isWell({ problems, unread }: Pick<Overview, 'problems' | 'unread'>): boolean {
  return (
    unread === undefined &&
    !problems.some(({ level, kind }) => level === 'broken' || STOPS_HEARTBEAT.includes(kind))
  );
}

/** Returns what webhooks are told of an overview: its problems, and of gaps those that are old. */
export function findNotices(
  { problems, at }: Pick<Overview, 'problems' | 'at'>,
  { gapsOlderThanMs }: { readonly gapsOlderThanMs: number },
): Noticed[] {
  const isOld = (since: string) => Date.parse(at) - Date.parse(since) >= gapsOlderThanMs;
  return problems.flatMap((problem) =>
    eventsOf(problem, isOld).map(([event, since]) => {
      const { subject, level, sentence, remedy, code } = problem;
      const severity = level === 'broken' ? 'critical' : 'warning';
      return { event, subject, severity, since, sentence, remedy, code } as const;
    }),
  );
}

/**
 * Returns the function that tells whether an overview leaves a problem unknown. It does if the ledger could
 * not be read, or if nobody has looked at the dependency yet.
 */
export function findUnknown({
  unread,
  dependencies,
  token,
}: Pick<Overview, 'unread' | 'dependencies' | 'token'>): (problem: {
  readonly event: NoticeEvent;
  readonly subject: string;
}) => boolean {
  const looks = [...dependencies, { name: TOKEN, state: token.state }];
  const unknown = new Set(looks.filter(({ state }) => state === 'unknown').map(({ name }) => name));
  return ({ event, subject }) => {
    if (!SEEN_WITHOUT_LEDGER.includes(event)) return unread !== undefined;
    return unknown.has(subject);
  };
}

type Happened = readonly [event: Noticed['event'], since: string | undefined];

/** Returns the events of a problem. What stores lack may be two, or none: nobody is told of new gaps. */
function eventsOf({ kind, subject, since, facts }: Problem, isOld: (since: string) => boolean): Happened[] {
  if (facts.says === 'missing') {
    const { late, gaps } = facts;
    return [
      ...(late === undefined ? [] : [['store-behind', late.since] as const]),
      ...(gaps === undefined || !isOld(gaps.oldest) ? [] : [['gaps', gaps.oldest] as const]),
    ];
  }
  const event = eventOf(kind, subject);
  return event === undefined ? [] : [[event, since]];
}

/** Returns undefined for what nobody is told: that nothing was read yet. */
function eventOf(kind: Problem['kind'], subject: string): Noticed['event'] | undefined {
  switch (kind) {
    case 'dependency-away':
      return eventOfDependency(subject);
    case 'run-failed':
      return 'stream-failing';
    case 'nothing-read':
      return undefined;
    default:
      return kind;
  }
}

function eventOfDependency(name: string): Noticed['event'] {
  if (name === 'platform' || name === 'token') return 'platform-away';
  if (name === 'redis') return 'redis-away';
  return isReceiver(name) ? 'webhook-failing' : 'store-away';
}
