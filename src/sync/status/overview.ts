import { reasonOf, StoreError } from '../../errors.ts';
import type { DependencyReports } from '../../ledger/dependency-report.ts';
import type { OverdueJob } from '../../ledger/services.ts';
import type { StoreKinds } from '../../load/stores/store-kind.ts';
import { sleepOrWake } from '../../sleep.ts';
import { steadyMs as steadyClock } from '../../steady-clock.ts';
import { clockText } from '../count-text.ts';
import { addGaps, readHistoryGaps } from './history-gaps.ts';
import {
  type LedgerFacts,
  type OverviewContext,
  readCounts,
  readQuickFacts,
  type StoreHead,
} from './overview-facts.ts';
import { findProblems } from './overview-problems.ts';
import type { Overview, Reason, SeenStore } from './overview-types.ts';
import { englishWords, sayWhole } from './problem-words.ts';
import { Remembered } from './remembered.ts';
import { levelOf, seeComplete } from './see-complete.ts';
import { type Looks, seeDependencies, titles } from './see-dependencies.ts';

/** Services, pauses and backfills are this old at most. Many pages ask at the same moment. */
const QUICK_AGE_MS = 1_000;
/** Counts and heads are this old at most. */
const COUNTS_AGE_MS = 10_000;
/** The sums of gaps are this old at most, because they cost the most. */
const GAPS_AGE_MS = 60_000;
/** The largest share of the time that counts and gaps may take. In a large plant they are older for that. */
const MOST_SHARE = 0.05;
/** The longest wait for the ledger. */
const PATIENCE_MS = 15_000;

/**
 * The ledger as the overview reads it. Keep one for each process: it remembers what is costly, so that any
 * number of askers cost no more than one.
 */
export class OverviewLedger {
  readonly #quick: Remembered<Awaited<ReturnType<typeof readQuickFacts>>>;
  readonly #counts: Remembered<Awaited<ReturnType<typeof readCounts>>>;
  readonly #gaps: Remembered<LedgerFacts['gaps']>;

  constructor(ctx: OverviewContext, steadyMs: () => number = steadyClock) {
    this.#quick = new Remembered(() => readQuickFacts(ctx), { maxAgeMs: QUICK_AGE_MS, steadyMs });
    this.#counts = new Remembered(() => readCounts(ctx), {
      ...{ maxAgeMs: COUNTS_AGE_MS, steadyMs },
      mostShare: MOST_SHARE,
    });
    this.#gaps = new Remembered(() => readHistoryGaps(ctx), {
      ...{ maxAgeMs: GAPS_AGE_MS, steadyMs },
      mostShare: MOST_SHARE,
    });
  }

  async read(): Promise<LedgerFacts> {
    const { answer: quick } = await this.#quick.read();
    const { answer: counts } = await this.#counts.read();
    const { answer: gaps, ageMs } = await this.#gaps.read();
    return { ...quick, ...counts, gaps, gapsAgeSec: Math.round(ageMs / 1000) };
  }
}

export interface OverviewQuestion {
  /** Undefined if the ledger is not open, because Postgres is away. */
  readonly ledger: OverviewLedger | undefined;
  /** Why the ledger is not open. */
  readonly unread?: Reason | undefined;
  readonly kinds: StoreKinds;
  /** What the asking process has seen of the dependencies. */
  readonly looks: Looks;
  readonly nowMs: number;
}

/**
 * Reads whether the data is complete, what is late since when, and what to do. While Postgres is away, it
 * tells what can be seen without the ledger.
 */
export async function readOverview(question: OverviewQuestion): Promise<Overview> {
  const { kinds, looks, nowMs } = question;
  const { facts, unread } = await readFacts(question);
  const { services, pauses, backfills, heads, waiting, gaps, rejects } = facts;
  const { dependencies, token } = seeDependencies(looks, services, kinds);
  const titleOf = titles(kinds);
  const stores = heads.stores.map((head) => describeStore(head, { gaps, waiting, titleOf }));
  const seen = { dependencies, token, stores, unread };
  const overdue = listOverdue(facts);
  const problems = findProblems({ ...seen, facts, overdue, nowMs });
  const complete = seeComplete({ problems, stores });
  return {
    at: new Date(nowMs).toISOString(),
    level: levelOf(problems),
    sentence: sayWhole({ complete, problems }, englishWords, (time) => clockText(time, nowMs)),
    complete,
    problems,
    unread,
    services: services.map(({ host, pid, role, startedAt, beatAt, isAlive }) => ({
      ...{ host, pid, role, isAlive },
      since: iso(startedAt),
      lastBeat: iso(beatAt),
    })),
    dependencies,
    token,
    pauses: pauses.map(({ target, since }) => ({ target, since: iso(since) })),
    overdue: overdue.map(({ job, dueMs, overdueSec }) => ({ job, due: iso(dueMs * 1000), overdueSec })),
    stores,
    gapsAgeSec: facts.gapsAgeSec,
    series: heads.series,
    lostPolledValues: facts.lostPolledValues,
    rejects: Object.fromEntries(rejects),
    backfills: backfills.map(({ id, stream, startedAt }) => ({ run: id, stream, since: iso(startedAt) })),
  };
}

const NO_FACTS: LedgerFacts = {
  services: [],
  pauses: [],
  backfills: [],
  waiting: new Map(),
  rejects: new Map(),
  lostPolledValues: 0,
  runs: [],
  heads: { series: 0, stores: [], lags: [] },
  gaps: [],
  gapsAgeSec: 0,
  verifications: [],
};

async function readFacts({
  ledger,
  unread,
  looks,
}: OverviewQuestion): Promise<{ facts: LedgerFacts; unread: Reason | undefined }> {
  const away = unread ?? whyUnreadable(looks.reports);
  if (away !== undefined || ledger === undefined)
    return {
      facts: NO_FACTS,
      unread: away ?? { reason: 'PostgreSQL is not open', code: 'postgres.unreachable' },
    };
  try {
    return { facts: await withinPatience(ledger.read()), unread: undefined };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { facts: NO_FACTS, unread: reasonOf(error) };
  }
}

/** A server with a full disk, or a replica, answers every question all the same. */
const ANSWERS_STILL = ['postgres.disk_full', 'postgres.read_only'];

function whyUnreadable({ postgres }: DependencyReports): Reason | undefined {
  if (postgres?.state !== 'down' || ANSWERS_STILL.includes(postgres.code ?? '')) return undefined;
  return { reason: postgres.reason ?? 'PostgreSQL is away', code: postgres.code ?? 'postgres.unreachable' };
}

async function withinPatience<T>(reading: Promise<T>): Promise<T> {
  const heard = new AbortController();
  const silence = sleepOrWake(PATIENCE_MS, heard.signal).then(() => {
    throw new StoreError('postgres.unreachable', `PostgreSQL has not answered for ${PATIENCE_MS / 1000} s`, {
      action: 'retry',
    });
  });
  silence.catch(() => undefined);
  try {
    return await Promise.race([reading, silence]);
  } finally {
    heard.abort();
  }
}

function describeStore(
  { store, kind, storedUpTo, behindSec, seriesBehind }: StoreHead,
  {
    gaps,
    waiting,
    titleOf,
  }: Pick<LedgerFacts, 'gaps' | 'waiting'> & { readonly titleOf: (name: string) => string },
): SeenStore {
  const own = addGaps(gaps.filter((each) => each.store === store));
  return {
    ...{ store, kind, seriesBehind },
    waiting: waiting.get(store) ?? 0,
    title: titleOf(kind),
    storedUpTo: storedUpTo === undefined ? undefined : iso(storedUpTo),
    behindSec: behindSec === undefined ? undefined : Math.round(behindSec),
    gaps: {
      hours: own?.hours ?? 0,
      series: own?.series ?? 0,
      oldest: own?.oldest === undefined ? undefined : iso(own.oldest),
    },
  };
}

/** The overdue jobs as the living processes see them, each once. */
function listOverdue({ services }: LedgerFacts): OverdueJob[] {
  const alive = services.filter(({ isAlive }) => isAlive);
  return [...new Map(alive.flatMap(({ overdue }) => overdue).map((each) => [each.job, each])).values()];
}

function iso(micros: number): string {
  return new Date(micros / 1000).toISOString();
}
