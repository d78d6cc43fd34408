import { type ErrorCode, reasonOf } from '../errors.ts';
import type {
  Absence,
  DependencyReport,
  DependencyReports,
  DependencyState,
} from '../ledger/dependency-report.ts';
import type { Redact } from '../redact.ts';
import type { Sleep } from '../sleep.ts';

/** A dependency of the service, and the look at it. */
export interface Dependency {
  readonly name: string;
  /**
   * Whether the service is not ready while the dependency is away. `at-start` means only until it was up
   * once, because the service goes on without it. `never`: the dependency is only shown.
   */
  readonly needed: 'always' | 'at-start' | 'never';
  /**
   * Resolves if the dependency answers, to the servers that it consists of if it has several. Resolves to
   * `unknown` if there is nothing to say yet. Rejects with the reason if it does not answer, and soon after
   * the signal is aborted.
   */
  look(signal: AbortSignal): Promise<unknown>;
}

export type { DependencyReport, DependencyState };

export interface Readiness {
  readonly ready: boolean;
  /** The reason why the service is not ready, in words. */
  readonly reason?: string;
  readonly dependencies: DependencyReports;
  /** Sentences about jobs that should have begun long ago and do not run. Only present if there are any. */
  readonly overdue?: readonly string[];
}

export interface HealthOptions {
  /** Returns epoch milliseconds. */
  readonly clock: () => number;
  /** Resolves after this many milliseconds, or at once when the signal is aborted. */
  readonly sleep: Sleep;
  /** Removes secrets from a text. */
  readonly redact: Redact;
  readonly everyMs?: number;
  readonly limitMs?: number;
}

/** The time between two looks at one dependency. */
const EVERY_MS = 2_000;
/** A dependency that does not answer within this time is down. */
const LIMIT_MS = 3_000;

/**
 * Looks at each dependency by itself, again and again, never twice at once. A report tells what was seen
 * last, so it costs nothing.
 *
 *     held ──release──► running ──hold──► held   the service, held at the start and at the end.
 *     unknown ──look──► up ◄──look──► down       each dependency.
 *
 * The service is ready while it runs, no needed dependency is away, and no job is overdue.
 */
export class Health {
  readonly #options: HealthOptions;
  readonly #seen = new Map<string, Seen>();
  readonly #ending = new AbortController();
  readonly #watches: Promise<void>[] = [];
  /** The first looks at what is watched. */
  readonly #firstLooks: Promise<void>[] = [];
  /** The looks that have not ended. */
  readonly #looks = new Set<AbortController>();
  #phase = 'the service is starting';
  #runs = false;
  #overdue: readonly string[] = [];

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** Names a dependency that is watched later, because something else must be open first. */
  expect({ name, needed }: Pick<Dependency, 'name' | 'needed'>, reason: string): void {
    this.#seen.set(name, { needed, state: 'unknown', sinceMs: this.#options.clock(), reason, once: false });
  }

  /** Resolves when everything that is watched was looked at once. A look ends within its limit. */
  async settle(): Promise<void> {
    await Promise.all(this.#firstLooks);
  }

  /** Looks at a dependency from now on, until `close`. */
  watch(dependency: Dependency): void {
    if (!this.#seen.has(dependency.name)) this.expect(dependency, 'it is being looked at for the first time');
    const firstLook = this.#lookOnce(dependency);
    this.#firstLooks.push(firstLook);
    this.#watches.push(this.#lookAgainAndAgain(dependency, firstLook));
  }

  /** Notes that the service does not run, and the reason. */
  hold(reason: string): void {
    this.#runs = false;
    this.#phase = reason;
  }

  /** Notes that the service runs. From now on its dependencies decide. */
  release(): void {
    this.#runs = true;
  }

  /** Notes the overdue jobs, each in one sentence. While there are any, the service is not ready. */
  noteOverdue(sentences: readonly string[]): void {
    this.#overdue = sentences;
  }

  report(): Readiness {
    const dependencies: Record<string, DependencyReport> = {};
    const reasons = this.#runs ? [] : [this.#options.redact(this.#phase)];
    for (const [name, seen] of this.#seen) {
      const { state } = seen;
      const report = this.#describe(seen);
      dependencies[name] = report;
      if (report.holdsUp) reasons.push(`${name} is ${state === 'down' ? 'away' : 'awaited'}`);
    }
    reasons.push(...this.#overdue);
    const overdue = this.#overdue.length > 0 ? { overdue: this.#overdue } : {};
    return reasons.length === 0
      ? { ready: true, dependencies }
      : { ready: false, reason: reasons.join('; '), ...overdue, dependencies };
  }

  #describe({ needed, state, sinceMs, servers, reason, code, once, lastAway }: Seen): DependencyReport {
    const { redact } = this.#options;
    const isNeeded = needed === 'always' || (needed === 'at-start' && !once);
    return {
      state,
      holdsUp: state !== 'up' && isNeeded,
      since: new Date(sinceMs).toISOString(),
      ...(servers !== undefined && { servers: redact(servers) }),
      ...(reason !== undefined && { reason: redact(reason), ...(code && { code }) }),
      ...(state === 'up' && lastAway && { lastAway }),
    };
  }

  async close(): Promise<void> {
    this.#ending.abort();
    for (const look of this.#looks) look.abort();
    await Promise.all(this.#watches);
  }

  async #lookAgainAndAgain(dependency: Dependency, firstLook: Promise<void>): Promise<void> {
    const { sleep, everyMs = EVERY_MS } = this.#options;
    const ending = this.#ending.signal;
    await firstLook;
    while (!ending.aborted) {
      await sleep(everyMs, ending);
      if (!ending.aborted) await this.#lookOnce(dependency);
    }
  }

  /** Looks once. Ends only when the look has ended, so that no second look begins while one hangs. */
  async #lookOnce({ name, look }: Dependency): Promise<void> {
    const { limitMs = LIMIT_MS, sleep } = this.#options;
    const limit = new AbortController();
    const done = new AbortController();
    this.#looks.add(limit);
    const patience = sleep(limitMs, done.signal).then(() => {
      if (done.signal.aborted) return;
      this.#note(name, 'down', { reason: `no answer within ${limitMs / 1000} s`, code: 'sync.no_answer' });
      limit.abort();
    });
    try {
      const answer = await look(limit.signal);
      // A look that was given up is noted already.
      if (answer !== 'unknown' && !limit.signal.aborted)
        this.#note(name, 'up', isServers(answer) ? answer : {});
    } catch (error) {
      // After its limit the look fails because of the limit, which is noted already.
      if (!limit.signal.aborted) this.#note(name, 'down', reasonOf(error));
    }
    this.#looks.delete(limit);
    done.abort();
    await patience;
  }

  #note(name: string, state: DependencyState, told: Servers & { reason?: string; code?: ErrorCode }): void {
    const before = this.#seen.get(name);
    if (before === undefined) return;
    const nowMs = this.#options.clock();
    this.#seen.set(name, {
      ...before,
      state,
      sinceMs: before.state === state ? before.sinceMs : nowMs,
      servers: told.servers,
      reason: told.reason,
      code: told.code,
      lastAway: state === 'up' && before.state === 'down' ? this.#endAbsence(before, nowMs) : before.lastAway,
      once: before.once || state === 'up',
    });
  }

  #endAbsence({ sinceMs, reason = '', code }: Seen, nowMs: number): Absence {
    return {
      from: new Date(sinceMs).toISOString(),
      to: new Date(nowMs).toISOString(),
      reason: this.#options.redact(reason),
      ...(code && { code }),
    };
  }
}

/** What a look tells of a dependency that consists of several servers. */
interface Servers {
  readonly servers?: string | undefined;
}

function isServers(answer: unknown): answer is Servers {
  return typeof answer === 'object' && answer !== null && 'servers' in answer;
}

interface Seen extends Servers {
  readonly needed: Dependency['needed'];
  readonly state: DependencyState;
  readonly sinceMs: number;
  readonly reason: string | undefined;
  readonly code?: ErrorCode | undefined;
  /** Whether the dependency was up at any time. */
  readonly once: boolean;
  readonly lastAway?: Absence | undefined;
}
