import type { ErrorCode } from '../../errors.ts';
import type { Absence, DependencyState } from '../../ledger/dependency-report.ts';
import type { OverdueJob } from '../../ledger/services.ts';
import type { LedgerFacts } from './overview-facts.ts';
import type { ProblemFacts } from './problem-facts.ts';

/**
 * `ok`: everything wanted is stored, and everything is alive. `late`: something is late, missing, refused or
 * paused. `broken`: something is away, or cannot be read.
 */
export type Level = 'ok' | 'late' | 'broken';

/** Answers whether the data is complete, what is late since when, and what to do. Times are ISO 8601. */
export interface Overview {
  readonly at: string;
  readonly level: Level;
  /** The answer in one sentence. */
  readonly sentence: string;
  /** Up to when everything is stored. Undefined if not everything is, or nobody knows. */
  readonly complete: { readonly upTo?: string | undefined } | undefined;
  /** What is not as it should be, the worst first. */
  readonly problems: Problem[];
  /** Why the ledger could not be read. All that comes from the ledger is then empty. */
  readonly unread: Reason | undefined;
  /** The processes of the service. */
  readonly services: SeenService[];
  readonly dependencies: SeenDependency[];
  readonly token: SeenToken;
  readonly pauses: readonly { readonly target: string; readonly since: string }[];
  readonly overdue: readonly { readonly job: string; readonly due: string; readonly overdueSec: number }[];
  /** The stores of history. */
  readonly stores: SeenStore[];
  /** Age of the gaps in `stores`, which are added up once a minute. */
  readonly gapsAgeSec: number;
  /** Series whose history is wanted. */
  readonly series: number;
  /** Polled values that were lost while Postgres was away. */
  readonly lostPolledValues: number;
  /** Open rejects, by stream. */
  readonly rejects: Readonly<Record<string, number>>;
  readonly backfills: readonly { readonly run: number; readonly stream: string; readonly since: string }[];
}

export interface Reason {
  readonly reason: string;
  readonly code: ErrorCode;
}

export type ProblemKind =
  | 'ledger-unread'
  | 'dependency-away'
  | 'service-silent'
  | 'job-overdue'
  | 'paused'
  | 'store-behind'
  | 'gaps'
  | 'verify-differences'
  | 'run-failed'
  | 'rejects'
  | 'values-lost'
  | 'nothing-read';

/** Something that is not as it should be. */
export interface Problem {
  readonly level: Exclude<Level, 'ok'>;
  readonly kind: ProblemKind;
  /** What the problem is about: the name of a dependency, stream, job or role, or of some stores. */
  readonly subject: string;
  readonly since: string | undefined;
  /** The problem in one sentence. */
  readonly sentence: string;
  /** The same in facts, for other languages. */
  readonly facts: ProblemFacts;
  /** What to do, in one sentence. */
  readonly remedy: string;
  readonly code?: ErrorCode | undefined;
}

export interface SeenService {
  readonly host: string;
  readonly pid: number;
  readonly role: string;
  readonly since: string;
  readonly lastBeat: string;
  readonly isAlive: boolean;
}

/** A process of the service that told of a dependency, or the process that looked by itself. */
export type Teller = { readonly role: string; readonly host: string; readonly pid: number } | 'this look';

export interface SeenDependency {
  /** `platform`, `postgres`, `redis`, or the kind of a store. */
  readonly name: string;
  /** The name for people. */
  readonly title: string;
  readonly state: DependencyState;
  readonly since: string;
  /** The servers of the dependency, in words, if it has several. */
  readonly servers?: string | undefined;
  readonly reason?: string | undefined;
  readonly code?: ErrorCode | undefined;
  readonly lastAway?: Absence | undefined;
  /** Who says so. */
  readonly toldBy: Teller;
}

/** The access token of the platform. Nothing of the token itself is told. */
export interface SeenToken extends Omit<SeenDependency, 'name' | 'title' | 'toldBy'> {
  readonly validUntil?: string | undefined;
}

/** How far a store of history has come. */
export interface SeenStore {
  /** Identity of the store. */
  readonly store: string;
  readonly kind: string;
  readonly title: string;
  /** Up to when all series are stored. Undefined while any series has nothing. */
  readonly storedUpTo: string | undefined;
  readonly behindSec: number | undefined;
  /** Series that are behind by more than they may be. A series counts once for each of its streams. */
  readonly seriesBehind: number;
  readonly gaps: { readonly hours: number; readonly series: number; readonly oldest: string | undefined };
  /** Entries with polls or alarm events that wait for the store. */
  readonly waiting: number;
}

/** What problems are found in. */
export interface Seen extends Pick<Overview, 'dependencies' | 'token' | 'stores' | 'unread'> {
  readonly facts: LedgerFacts;
  readonly overdue: readonly OverdueJob[];
  readonly nowMs: number;
}

/** A problem before it is said. */
export type FoundProblem = Omit<Problem, 'sentence'>;
