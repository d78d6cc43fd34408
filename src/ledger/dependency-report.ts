import type { ErrorCode } from '../errors.ts';

/** `unknown`: nobody has looked yet, or there is nothing to say yet. */
export type DependencyState = 'unknown' | 'up' | 'down';

/** A time in which a dependency was away. The times are ISO 8601. */
export interface Absence {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly code?: ErrorCode;
}

/** What a process knows about a dependency: the platform, its token, Postgres, a store or Redis. */
export interface DependencyReport {
  readonly state: DependencyState;
  /** Whether the dependency makes the service not ready. */
  readonly holdsUp: boolean;
  /** The time since when the dependency has this state, in ISO 8601. */
  readonly since: string;
  /** The servers that were found, in words, if the dependency has several: which of them is what, or away. */
  readonly servers?: string;
  /** The reason why the dependency is not up, in words, and the code of the error. */
  readonly reason?: string;
  readonly code?: ErrorCode;
  /** The last time that the dependency was away, if it is up now. */
  readonly lastAway?: Absence;
}

/** Reports by the names of the dependencies: `platform`, `token`, `postgres`, `redis`, `influx`, … */
export type DependencyReports = Readonly<Record<string, DependencyReport>>;
