import { findEntry } from '../../error-codes/error-codes.ts';
import type { ErrorCode } from '../../errors.ts';
import { EVERYTHING } from '../../ledger/control.ts';
import type { RunRecord } from '../../ledger/runs.ts';
import type { OverdueJob, ServiceRecord } from '../../ledger/services.ts';
import { clockText, plural, spanText } from '../count-text.ts';
import { LOST_POLLS } from '../stream-names.ts';
import { briefReason } from './brief-reason.ts';
import type { LedgerFacts } from './overview-facts.ts';
import type { Overview, Problem, SeenDependency, SeenStore } from './overview-types.ts';

interface Seen extends Pick<Overview, 'dependencies' | 'token' | 'stores' | 'unread'> {
  readonly facts: LedgerFacts;
  readonly overdue: readonly OverdueJob[];
  readonly nowMs: number;
}

/** Finds what is not as it should be, the worst first. Pure. */
export function findProblems(seen: Seen): Problem[] {
  const found = [
    ...findUnread(seen),
    ...seen.dependencies.flatMap((each) => findAway(each, seen)),
    ...findToken(seen),
    ...findSilent(seen),
    ...findOverdue(seen),
    ...findPauses(seen),
    ...seen.stores.flatMap((store) => findBehind(store, seen)),
    ...seen.stores.flatMap((store) => findGaps(store, seen)),
    ...findFailedRuns(seen),
    ...findRefused(seen),
    ...findNothingRead(seen),
  ];
  const worst = found.filter(({ level }) => level === 'broken');
  return [...worst, ...found.filter(({ level }) => level === 'late')];
}

const remedyOf = (code: ErrorCode | undefined): string =>
  (code && findEntry(code)?.remedy) ?? 'Run `plantsync check`, which says what is wrong.';

function findUnread({ unread, dependencies }: Seen): Problem[] {
  // Postgres that is away is told as such.
  if (unread === undefined || dependencies.some(({ name, state }) => name === 'postgres' && state === 'down'))
    return [];
  const { reason, code } = unread;
  // Anything else that keeps the ledger from being opened is told in full.
  const sentence = code.startsWith('postgres.')
    ? `the ledger cannot be read: ${briefReason(reason)}`
    : reason;
  return [
    {
      ...{ level: 'broken', kind: 'ledger-unread', subject: 'ledger', since: undefined },
      ...{ sentence, remedy: remedyOf(code), code },
    },
  ];
}

function findAway(found: SeenDependency, { token, stores, nowMs }: Seen): Problem[] {
  const { name, title, state, since, reason = '', code } = found;
  if (state !== 'down') return [];
  // Without a token the platform cannot be asked. The token is told.
  if (name === 'platform' && token.state === 'down' && token.code === code) return [];
  const behindSec = stores.find(({ kind }) => kind === name)?.behindSec ?? 0;
  const at = `since ${clockText(since, nowMs)}`;
  const away = behindSec > 60 ? `${spanText(behindSec)} behind, and away` : 'away';
  const sentence =
    code === 'postgres.disk_full'
      ? `${title} has no room on its disk ${at}: it stores nothing`
      : `${title} is ${away} ${at}: ${briefReason(reason)}`;
  const about = { level: 'broken', kind: 'dependency-away', subject: name, since } as const;
  return [{ ...about, sentence, remedy: remedyOf(code), code }];
}

function findToken({ token, nowMs }: Seen): Problem[] {
  const { state, since, reason = '', code } = token;
  if (state !== 'down') return [];
  const sentence = `the platform gives no access token since ${clockText(since, nowMs)}: ${briefReason(reason)}`;
  const about = { level: 'broken', kind: 'dependency-away', subject: 'token', since } as const;
  return [{ ...about, sentence, remedy: remedyOf(code), code }];
}

/** Finds killed or stopped processes. A process that was started later with the same role replaces one. */
function findSilent({ facts: { services }, nowMs }: Seen): Problem[] {
  const alive = services.filter(({ isAlive }) => isAlive);
  const doesWork = (of: ServiceRecord) => (each: ServiceRecord) =>
    each.role === of.role || each.role === 'all';
  return services
    .filter((each) => !each.isAlive)
    .filter((each) => !alive.some((other) => doesWork(each)(other) && other.startedAt > each.beatAt))
    .map((each): Problem => {
      const { host, pid, role, beatAt } = each;
      const since = isoOf(beatAt);
      const others = alive.filter(doesWork(each)).length;
      const sentence = `plantsync run (role ${role}, process ${pid} on ${host}) gives no sign of life since ${clockText(since, nowMs)}`;
      return {
        ...{ level: others > 0 ? 'late' : 'broken', kind: 'service-silent', subject: role, since, sentence },
        remedy: `It was killed, or is stopped: start \`plantsync run\` there; its log says more.`,
      };
    });
}

function findOverdue({ overdue, nowMs }: Seen): Problem[] {
  return overdue.map(({ job, dueMs }) => {
    const since = new Date(dueMs).toISOString();
    const late = spanText((nowMs - dueMs) / 1000);
    return {
      ...{ level: 'late', kind: 'job-overdue', subject: job, since, code: 'sync.job_overdue' },
      sentence: `${job} is overdue by ${late}: it was due at ${clockText(since, nowMs)}, and nothing runs it`,
      remedy: remedyOf('sync.job_overdue'),
    };
  });
}

function findPauses({ facts: { pauses }, nowMs }: Seen): Problem[] {
  return pauses.map(({ target, since: sinceUs }) => {
    const since = isoOf(sinceUs);
    const [name, option] = target === EVERYTHING ? ['everything', ''] : [target, ` ${target}`];
    return {
      ...{ level: 'late', kind: 'paused', subject: target, since },
      sentence: `${name} is paused since ${clockText(since, nowMs)}`,
      remedy: `Run \`plantsync resume${option}\` when it may go on.`,
    };
  });
}

function findBehind(store: SeenStore, { dependencies, facts, nowMs }: Seen): Problem[] {
  const { kind, title, seriesBehind, storedUpTo, behindSec } = store;
  if (seriesBehind === 0) return [];
  // A store that is away is told as such, with how far it is behind.
  if (dependencies.some(({ name, state }) => name === kind && state === 'down')) return [];
  const some = plural(seriesBehind, 'series', 'series');
  const far =
    storedUpTo === undefined
      ? `is behind in ${some}`
      : `is ${spanText(behindSec ?? 0)} behind in ${some} since ${clockText(storedUpTo, nowMs)}`;
  const why = whyBehind(facts);
  return [
    {
      ...{ level: 'late', kind: 'store-behind', subject: kind, since: storedUpTo },
      sentence: `${title} ${far}${why === undefined ? '' : `: ${why}`}`,
      remedy: facts.services.some(({ isAlive }) => isAlive)
        ? 'The service reads what is missing by itself; `plantsync gaps` shows the ranges.'
        : 'Start `plantsync run`, or run `plantsync sync history`.',
    },
  ];
}

function whyBehind({ services, pauses, runs, backfills }: LedgerFacts): string | undefined {
  const run = runs.find(({ stream, status }) => stream === 'history' && status !== 'running');
  if (pauses.some(({ target }) => target === EVERYTHING || target === 'history')) return 'history is paused';
  if (services.length > 0 && services.every(({ isAlive }) => !isAlive)) return 'no service is alive';
  if (run?.status === 'failed' || run?.status === 'partial') return run.error && briefReason(run.error);
  return backfills.length > 0 ? 'a backfill is running' : undefined;
}

function findGaps({ kind, title, gaps }: SeenStore, { facts, nowMs }: Seen): Problem[] {
  if (gaps.series === 0 || gaps.oldest === undefined) return [];
  const isAlive = facts.services.some((each) => each.isAlive);
  const hours = gaps.hours.toLocaleString('en-US', { maximumSignificantDigits: 3 });
  return [
    {
      ...{ level: 'late', kind: 'gaps', subject: kind, since: gaps.oldest },
      sentence: `${title} lacks ${hours} h of ${plural(gaps.series, 'series', 'series')}, the oldest from ${clockText(gaps.oldest, nowMs)}`,
      remedy: `\`plantsync gaps\` lists them; ${isAlive ? 'the service reads them again, or' : 'run'} \`plantsync sync history\`.`,
    },
  ];
}

/** A run that failed counts for this long, also after a better run of its stream: it may be a sweep. */
const RECENT_US = 86_400e6;

function findFailedRuns({ facts: { runs }, nowMs }: Seen): Problem[] {
  const isGood = ({ status }: RunRecord) => status === 'done' || status === 'running';
  const isMended = (run: RunRecord) =>
    runs.some((later) => later.stream === run.stream && later.id > run.id && isGood(later));
  const isRecent = (run: RunRecord) => run.startedAt > nowMs * 1000 - RECENT_US;
  // What a run left out is a gap, which the next run fills. A better run ends a part, and a lost run.
  const failed = runs.filter(
    (run) =>
      ['failed', 'lost', 'partial'].includes(run.status) &&
      (!isMended(run) || (run.status === 'failed' && isRecent(run))),
  );
  const newest = new Map([...failed].reverse().map((run) => [run.stream, run]));
  return [...newest.values()].map(({ stream, status, startedAt, error }): Problem => {
    const since = isoOf(startedAt);
    const ended = { failed: 'failed', partial: 'brought a part only', lost: 'was lost with its process' };
    const why = error === undefined ? '' : `: ${briefReason(error)}`;
    return {
      ...{ level: 'late', kind: 'run-failed', subject: stream, since },
      sentence: `the run of ${stream} of ${clockText(since, nowMs)} ${ended[status as keyof typeof ended]}${why}`,
      remedy: `\`plantsync status\` shows its problems; \`plantsync sync ${stream}\` tries again.`,
    };
  });
}

function findRefused({ facts: { rejects, lostPolledValues } }: Seen): Problem[] {
  const open = [...rejects.values()].reduce((sum, count) => sum + count, 0);
  const streams = [...rejects].filter(([, count]) => count > 0).map(([stream]) => stream);
  const lost: Problem = {
    ...{ level: 'late', kind: 'values-lost', subject: LOST_POLLS, since: undefined },
    sentence: `${plural(lostPolledValues, 'polled value')} were lost while PostgreSQL was away`,
    remedy: 'Run `plantsync rejects list --stream current`; `plantsync rejects replay` settles the cases.',
  };
  const refused: Problem = {
    ...{ level: 'late', kind: 'rejects', subject: streams.join(', '), since: undefined },
    sentence: `${plural(open, 'reject')} of ${streams.join(', ')} ${open === 1 ? 'is' : 'are'} open`,
    remedy: 'Run `plantsync rejects list`; correct the cause, then run `plantsync rejects replay`.',
  };
  return [...(open > 0 ? [refused] : []), ...(lostPolledValues > 0 ? [lost] : [])];
}

function findNothingRead({ facts, unread }: Seen): Problem[] {
  if (unread !== undefined || facts.runs.length > 0) return [];
  return [
    {
      ...{ level: 'late', kind: 'nothing-read', subject: 'streams', since: undefined },
      sentence: 'nothing was read yet',
      remedy: 'Start `plantsync run`, or run `plantsync sync`.',
    },
  ];
}

function isoOf(micros: number): string {
  return new Date(micros / 1000).toISOString();
}
