import { randomUUID } from 'node:crypto';
import { Agent } from 'undici';
import type { Waits } from '../backoff.ts';
import type { Config } from '../config/config-schema.ts';
import { reasonOf } from '../errors.ts';
import type { DependencyReports } from '../ledger/dependency-report.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { StoreKinds } from '../load/stores/store-kind.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { type Sleep, sleepOrWake } from '../sleep.ts';
import { steadyMs as steadyClock } from '../steady-clock.ts';
import { plural, spanText } from '../sync/count-text.ts';
import { type OverviewLedger, readOverview } from '../sync/status/overview.ts';
import type { Overview } from '../sync/status/overview-types.ts';
import { callReceiver } from './call-receiver.ts';
import { deliver } from './deliver.ts';
import { findNotices, findUnknown, isWell } from './find-notices.ts';
import { TellingRight } from './leadership.ts';
import type { Sender } from './messages.ts';
import { dependencyOf, type Noticed } from './notice.ts';
import { NoticeBook } from './notice-book.ts';

/** What the notifier needs of the health of the process. */
interface Looks {
  report(): { readonly dependencies: DependencyReports };
  /** Shows a receiver among the dependencies. */
  watch(dependency: {
    readonly name: string;
    readonly needed: 'never';
    look(): Promise<'unknown' | undefined>;
  }): void;
}

export interface NotifierOptions {
  readonly config: Pick<Config, 'notify' | 'heartbeat'>;
  readonly kinds: StoreKinds;
  readonly health: Looks;
  readonly sender: Sender;
  readonly metrics: Pick<Metrics, 'countNotice'>;
  readonly log: Logger;
  /** Returns epoch milliseconds. */
  readonly clock: () => number;
  /** Whether this process tells before it was ever known which process does. */
  readonly tellsAtFirst: boolean;
  /** Times, which tests replace. */
  readonly times?: Partial<NotifierTimes>;
}

interface NotifierTimes {
  readonly steadyMs: () => number;
  readonly sleep: Sleep;
  readonly waits: Waits;
}

/** The running service, as the notifier reads it. */
export interface ToldService {
  readonly ledger: Pick<Ledger, 'leases' | 'notices'>;
  readonly overview: OverviewLedger;
  readonly tokenUntilMs: () => number | undefined;
  /** Counts the alarms of the plant that began within the last time. */
  readonly countAlarms: (withinMs: number) => Promise<number>;
}

/** Tells webhooks what is wrong, and calls the heartbeat while all is well. */
export interface Notifier {
  /** Reads the running service from now on. The returned function ends that. */
  follow(service: ToldService): () => Promise<void>;
  close(): Promise<void>;
}

const RETRIES: Waits = { firstMs: 5_000, longestMs: 300_000 };
/** The distance between two looks is half of the shortest time that matters, within these bounds. */
const LEAST_LOOK_MS = 500;
const MOST_LOOK_MS = 10_000;
/** The longest wait for the ledger. */
const PATIENCE_MS = 10_000;
/** What was seen so many looks ago says nothing about now. */
const STALE_LOOKS = 4;

/** Opens the notifier. It runs also while Postgres is away. */
export function openNotifier(options: NotifierOptions): Notifier {
  return new RunningNotifier(options);
}

class RunningNotifier implements Notifier {
  readonly #options: NotifierOptions;
  readonly #times: NotifierTimes;
  readonly #lookMs: number;
  readonly #book: NoticeBook;
  readonly #right: TellingRight;
  readonly #agent = new Agent();
  readonly #ending = new AbortController();
  readonly #failures = new Map<string, unknown>();
  readonly #loops: Promise<void>[];
  #service: ToldService | undefined;
  #looking: Promise<void> = Promise.resolve();
  #wellAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#times = { steadyMs: steadyClock, sleep: sleepOrWake, waits: RETRIES, ...options.times };
    const { notify, heartbeat } = options.config;
    const shortestMs = Math.min(
      notify.afterMs,
      heartbeat.url === undefined ? notify.afterMs : heartbeat.everyMs,
    );
    this.#lookMs = Math.min(MOST_LOOK_MS, Math.max(LEAST_LOOK_MS, shortestMs / 2));
    this.#book = new NoticeBook({ afterMs: notify.afterMs, newId: randomUUID });
    this.#right = new TellingRight(options);
    this.#loops = [this.#lookAgainAndAgain(), ...this.#startDeliveries(), this.#beat()];
  }

  follow(service: ToldService): () => Promise<void> {
    this.#service = service;
    return async () => {
      this.#service = undefined;
      await this.#looking;
      await this.#inTime(async () => {
        await this.#write(service);
        await this.#right.release();
      });
    };
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#loops);
    await this.#agent.destroy();
  }

  async #lookAgainAndAgain(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      this.#looking = this.#look();
      await this.#looking;
      await this.#times.sleep(this.#lookMs, signal);
    }
  }

  async #look(): Promise<void> {
    try {
      const service = this.#service;
      const overview = await this.#readOverview(service);
      const isPartial = overview.unread !== undefined;
      if (service !== undefined && !isPartial) await this.#inTime(() => this.#share(service));
      if (!this.#right.tells) return;
      const { notify } = this.#options.config;
      const storm = isPartial ? undefined : await this.#findStorm(service);
      const found = [...findNotices(overview, notify), ...(storm ?? [])];
      const isLeftOut = findUnknown(overview);
      const isUnknown = (problem: Pick<Noticed, 'event' | 'subject'>) =>
        problem.event === 'alarm-storm' ? storm === undefined : isLeftOut(problem);
      const steadyMs = this.#times.steadyMs();
      this.#book.look({ found, isUnknown, steadyMs, at: this.#options.clock() * 1000 });
      this.#book.settle(notify.webhooks);
      this.#wellAtMs = isWell(overview) ? steadyMs : Number.NEGATIVE_INFINITY;
      if (service !== undefined && !isPartial) await this.#inTime(() => this.#write(service));
      this.#book.publish();
    } catch (error) {
      this.#options.log.warn(reasonOf(error), 'it cannot be seen whether something must be told');
    }
  }

  #readOverview(service: ToldService | undefined): Promise<Overview> {
    const { kinds, health, clock } = this.#options;
    const reports = health.report().dependencies;
    const { reason = 'the service is starting', code = 'postgres.unreachable' } = reports.postgres ?? {};
    return readOverview({
      ledger: service?.overview,
      unread: service === undefined ? { reason, code } : undefined,
      kinds,
      looks: { reports, teller: 'this look', tokenUntilMs: service?.tokenUntilMs() },
      nowMs: clock(),
    });
  }

  /** Agrees with the other processes by the ledger who tells, and what was told. */
  async #share(service: ToldService): Promise<void> {
    const told = this.#right.tells;
    await this.#right.renew(service.ledger.leases);
    // Another process may tell from now on. It must know what this one told while Postgres was away.
    if (told) await this.#write(service);
    if (this.#right.tells) this.#book.adopt(await service.ledger.notices.list(), this.#times.steadyMs());
    else this.#book.clear();
  }

  #write({ ledger }: ToldService): Promise<void> {
    const { notices } = ledger;
    return this.#book.write({ save: (notice) => notices.save(notice), remove: (id) => notices.remove(id) });
  }

  /** Finds a storm of alarms. Returns undefined if the alarms cannot be counted. */
  async #findStorm(service: ToldService | undefined): Promise<Noticed[] | undefined> {
    const { alarms, withinMs } = this.#options.config.notify.alarmStorm;
    const begun = await service?.countAlarms(withinMs).catch((error: unknown) => {
      this.#options.log.debug(reasonOf(error), 'the alarms of the plant cannot be counted');
      return undefined;
    });
    if (begun === undefined) return undefined;
    if (begun < alarms) return [];
    return [
      {
        ...{ event: 'alarm-storm', subject: 'alarms', severity: 'info', since: undefined },
        sentence: `${plural(begun, 'alarm')} of the plant began within ${spanText(withinMs / 1000)}`,
        remedy: 'Look at the plant; the console and the table of alarms list them.',
      },
    ];
  }

  /** Does something with the ledger. A ledger that does not answer is asked at the next look again. */
  async #inTime(work: () => Promise<void>): Promise<void> {
    const done = new AbortController();
    const working = work().catch((error: unknown) => {
      this.#options.log.debug(reasonOf(error), 'what is told cannot be noted yet');
    });
    await Promise.race([working, this.#times.sleep(PATIENCE_MS, done.signal)]);
    done.abort();
  }

  #startDeliveries(): Promise<void>[] {
    const { config, sender, clock, metrics, log } = this.#options;
    const { sleep, waits } = this.#times;
    return config.notify.webhooks.map((webhook) => {
      const name = dependencyOf(webhook);
      const note = this.#showReceiver(name);
      return deliver({
        ...{ webhook, sender, clock, sleep, waits, agent: this.#agent, signal: this.#ending.signal },
        lookMs: Math.min(1_000, this.#lookMs),
        next: () => (this.#right.tells ? this.#book.nextFor(webhook) : undefined),
        onTaken: (message) => {
          const { event, subject } = message.notice.body;
          log.info({ webhook: webhook.name, event, subject, tells: message.tells }, 'a webhook was told');
          this.#book.noteTaken(message, webhook);
        },
        onTry: (error) => {
          metrics.countNotice(webhook.name, error === undefined ? 'ok' : 'failed');
          note(error);
        },
      });
    });
  }

  /** Calls the heartbeat again and again while all is well and this process tells. */
  async #beat(): Promise<void> {
    const { heartbeat } = this.#options.config;
    const { url, method, everyMs, timeoutMs } = heartbeat;
    const { signal } = this.#ending;
    if (url === undefined) return;
    const note = this.#showReceiver('heartbeat');
    while (!signal.aborted) {
      const isFresh = this.#times.steadyMs() - this.#wellAtMs < STALE_LOOKS * this.#lookMs;
      if (isFresh && this.#right.tells)
        try {
          const title = 'the address of the heartbeat';
          await callReceiver({ title, url, method, timeoutMs, signal, agent: this.#agent });
          this.#options.metrics.countNotice('heartbeat', 'ok');
          note(undefined);
        } catch (error) {
          if (signal.aborted) return;
          this.#options.metrics.countNotice('heartbeat', 'failed');
          note(error);
        }
      // Before the first look nothing is known. A whole period would be lost.
      await this.#times.sleep(isFresh ? everyMs : Math.min(everyMs, this.#lookMs), signal);
    }
  }

  /** Shows a receiver among the dependencies. The returned function notes how the newest try ended. */
  #showReceiver(name: string): (error: unknown) => void {
    this.#options.health.watch({
      name,
      needed: 'never',
      look: async () => {
        if (!this.#failures.has(name)) return 'unknown';
        const failure = this.#failures.get(name);
        if (failure !== undefined) throw failure;
        return undefined;
      },
    });
    return (error) => {
      if (error !== undefined && this.#failures.get(name) === undefined)
        this.#options.log.warn(reasonOf(error), 'a receiver of messages fails: it is tried again');
      this.#failures.set(name, error);
    };
  }
}
