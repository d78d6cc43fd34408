import { findEntry } from '../../error-codes/error-codes.ts';
import type { ErrorCode } from '../../errors.ts';
import { EVERYTHING } from '../../ledger/control.ts';
import type { RunRecord } from '../../ledger/runs.ts';
import type { ServiceRecord } from '../../ledger/services.ts';
import { causeOf } from '../brief-reason.ts';
import { clockText } from '../count-text.ts';
import { LOST_POLLS } from '../stream-names.ts';
import { findMissing, isToldAsMissing } from './find-missing.ts';
import type { FoundProblem, Problem, Seen, SeenDependency } from './overview-types.ts';
import { englishWords } from './problem-words.ts';
import { isReceiver } from './see-dependencies.ts';
import { countDiffering, listDiffering, verifiedOf } from './verifications.ts';

/** Finds what is not as it should be, the worst first. Pure. */
export function findProblems(seen: Seen): Problem[] {
  const missing = findMissing(seen);
  const found = [
    ...findUnread(seen),
    ...seen.dependencies.flatMap((each) => findAway(each, seen)),
    ...findToken(seen),
    ...findSilent(seen),
    ...findOverdue(seen),
    ...findPauses(seen),
    ...missing,
    ...findDiffering(seen),
    ...findFailedRuns(seen).filter((run) => !isToldAsMissing(run, missing)),
    ...findRefused(seen),
    ...findNothingRead(seen),
  ];
  const worst = found.filter(({ level }) => level === 'broken');
  const clock = (time: string) => clockText(time, seen.nowMs);
  return [...worst, ...found.filter(({ level }) => level === 'late')].map((problem) => ({
    ...problem,
    sentence: englishWords.problem(problem.facts, clock),
  }));
}

const remedyOf = (code: ErrorCode | undefined): string =>
  (code && findEntry(code)?.remedy) ?? 'Run `plantsync check`, which says what is wrong.';

function findUnread({ unread, dependencies }: Seen): FoundProblem[] {
  // Postgres that is away is told as such.
  if (unread === undefined || dependencies.some(({ name, state }) => name === 'postgres' && state === 'down'))
    return [];
  const { reason, code } = unread;
  const about = { level: 'broken', kind: 'ledger-unread', subject: 'ledger', since: undefined } as const;
  // Anything else that keeps the ledger from being opened is told in full.
  const facts = code.startsWith('postgres.')
    ? ({ says: 'ledger-unread', cause: causeOf(reason, code) } as const)
    : ({ says: 'ledger-refused', cause: { text: reason, code } } as const);
  return [{ ...about, facts, remedy: remedyOf(code), code }];
}

function findAway(found: SeenDependency, { token, stores }: Seen): FoundProblem[] {
  const { name, title, state, since, reason = '', code } = found;
  if (state !== 'down') return [];
  // Without a token the platform cannot be asked. The token is told.
  if (name === 'platform' && token.state === 'down' && token.code === code) return [];
  const late = stores.find(({ kind }) => kind === name)?.behindSec ?? 0;
  const behindSec = late > 60 ? late : undefined;
  // The data does not need those who are only told.
  const level = isReceiver(name) ? 'late' : 'broken';
  const about = { level, kind: 'dependency-away', subject: name, since } as const;
  const facts =
    code === 'postgres.disk_full'
      ? ({ says: 'disk-full', title, since } as const)
      : ({ says: 'away', name, title, since, behindSec, cause: causeOf(reason, code) } as const);
  return [{ ...about, facts, remedy: remedyOf(code), code }];
}

function findToken({ token: { state, since, reason = '', code } }: Seen): FoundProblem[] {
  if (state !== 'down') return [];
  const about = { level: 'broken', kind: 'dependency-away', subject: 'token', since } as const;
  const facts = { says: 'no-token', since, cause: causeOf(reason, code) } as const;
  return [{ ...about, facts, remedy: remedyOf(code), code }];
}

/** Finds killed or stopped processes. A process that was started later with the same role replaces one. */
function findSilent({ facts: { services } }: Seen): FoundProblem[] {
  const alive = services.filter(({ isAlive }) => isAlive);
  const doesWork = (of: ServiceRecord) => (each: ServiceRecord) =>
    each.role === of.role || each.role === 'all';
  return services
    .filter((each) => !each.isAlive)
    .filter((each) => !alive.some((other) => doesWork(each)(other) && other.startedAt > each.beatAt))
    .map((each): FoundProblem => {
      const { host, pid, role, beatAt } = each;
      const since = isoOf(beatAt);
      const others = alive.filter(doesWork(each)).length;
      return {
        ...{ level: others > 0 ? 'late' : 'broken', kind: 'service-silent', subject: role, since },
        facts: { says: 'silent', role, pid, host, since },
        remedy: `It was killed, or is stopped: start \`plantsync run\` there; its log says more.`,
      };
    });
}

function findOverdue({ overdue, nowMs }: Seen): FoundProblem[] {
  return overdue.map(({ job, dueMs }) => {
    const since = new Date(dueMs).toISOString();
    return {
      ...{ level: 'late', kind: 'job-overdue', subject: job, since, code: 'sync.job_overdue' },
      facts: { says: 'overdue', job, due: since, lateSec: (nowMs - dueMs) / 1000 },
      remedy: remedyOf('sync.job_overdue'),
    };
  });
}

function findPauses({ facts: { pauses } }: Seen): FoundProblem[] {
  return pauses.map(({ target, since: sinceUs }) => {
    const since = isoOf(sinceUs);
    const option = target === EVERYTHING ? '' : ` ${target}`;
    return {
      ...{ level: 'late', kind: 'paused', subject: target, since },
      facts: { says: 'paused', target, since },
      remedy: `Run \`plantsync resume${option}\` when it may go on.`,
    };
  });
}

/** Finds stores whose points differ from those of the platform, as the newest comparisons found. */
function findDiffering({ stores, facts: { verifications } }: Seen): FoundProblem[] {
  return listDiffering(verifications).map((found): FoundProblem => {
    const { store, kind, series, from: verification } = found;
    const since = isoOf(verification.at);
    const title = stores.find((each) => each.store === store)?.title ?? kind;
    return {
      ...{ level: 'late', kind: 'verify-differences', subject: kind, since },
      facts: { says: 'differs', title, points: countDiffering(found), series, found: since },
      remedy: `\`plantsync verify --from ${isoOf(verification.from)} --to ${isoOf(verification.to)} --repair\` makes them equal.`,
    };
  });
}

/** A run that failed counts for this long, also after a better run of its stream: it may be a sweep. */
const RECENT_US = 86_400e6;

function findFailedRuns({ facts: { runs }, nowMs }: Seen): FoundProblem[] {
  // A comparison that found differences is told as such.
  const isTold = (run: RunRecord) => Object.values(verifiedOf(run)?.stores ?? {}).some(countDiffering);
  const isGood = ({ status }: RunRecord) => status === 'done' || status === 'running';
  const isMended = (run: RunRecord) =>
    runs.some((later) => later.stream === run.stream && later.id > run.id && isGood(later));
  const isRecent = (run: RunRecord) => run.startedAt > nowMs * 1000 - RECENT_US;
  // What a run left out is a gap, which the next run fills. A better run ends a part, and a lost run.
  const failed = runs.flatMap((run) => {
    const { status } = run;
    if ((status !== 'failed' && status !== 'lost' && status !== 'partial') || isTold(run)) return [];
    return !isMended(run) || (status === 'failed' && isRecent(run)) ? [{ ...run, status }] : [];
  });
  const newest = new Map([...failed].reverse().map((run) => [run.stream, run]));
  return [...newest.values()].map(({ stream, status: ended, startedAt, error }): FoundProblem => {
    const since = isoOf(startedAt);
    const cause = error === undefined ? undefined : causeOf(error);
    return {
      ...{ level: 'late', kind: 'run-failed', subject: stream, since },
      facts: { says: 'run-failed', stream, begun: since, ended, cause },
      remedy: `\`plantsync status\` shows its problems; \`plantsync sync ${stream}\` tries again.`,
    };
  });
}

function findRefused({ facts: { rejects, lostPolledValues } }: Seen): FoundProblem[] {
  const open = [...rejects.values()].reduce((sum, count) => sum + count, 0);
  const streams = [...rejects].filter(([, count]) => count > 0).map(([stream]) => stream);
  const lost: FoundProblem = {
    ...{ level: 'late', kind: 'values-lost', subject: LOST_POLLS, since: undefined },
    facts: { says: 'values-lost', count: lostPolledValues },
    remedy: 'Run `plantsync rejects list --stream current`; `plantsync rejects replay` settles the cases.',
  };
  const refused: FoundProblem = {
    ...{ level: 'late', kind: 'rejects', subject: streams.join(', '), since: undefined },
    facts: { says: 'rejects', open, streams },
    remedy: 'Run `plantsync rejects list`; correct the cause, then run `plantsync rejects replay`.',
  };
  return [...(open > 0 ? [refused] : []), ...(lostPolledValues > 0 ? [lost] : [])];
}

function findNothingRead({ facts: { runs }, unread }: Seen): FoundProblem[] {
  if (unread !== undefined || runs.length > 0) return [];
  return [
    {
      ...{ level: 'late', kind: 'nothing-read', subject: 'streams', since: undefined },
      facts: { says: 'nothing-read' },
      remedy: 'Start `plantsync run`, or run `plantsync sync`.',
    },
  ];
}

function isoOf(micros: number): string {
  return new Date(micros / 1000).toISOString();
}
