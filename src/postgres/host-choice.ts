import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, StoreError } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { ServerFacts } from './server-facts.ts';
import type { ServerPlace, SessionDemand } from './server-list.ts';
import { type Answer, chooseServer, nameOf, type Usable, whyUnfit } from './server-ranking.ts';

/** How long the others have to answer after one server has answered that takes writes. */
const GRACE_MS = 1_000;
/** Period of the looks whether another server has been promoted meanwhile. */
const LOOK_MS = 5_000;

export interface HostChoiceOptions {
  /** At least one server. */
  readonly servers: readonly [ServerPlace, ...ServerPlace[]];
  readonly demand: SessionDemand;
  /** Asks a server for its facts, in a session of its own. */
  readonly ask: (place: ServerPlace) => Promise<ServerFacts>;
  readonly log: Logger;
  /** Is called when sessions are on another server from now on, or on one with another history. */
  readonly onChange: () => void;
  /** Period of the looks at the other servers. Default 5 s. */
  readonly lookMs?: number | undefined;
}

/** The server of the sessions, as far as it is known. */
export interface UsedServer extends ServerPlace, ServerFacts {}

/**
 * Chooses the server of each session among those of the address. All servers are asked at once. The one
 * with the highest timeline among those that take writes is chosen, because the others are primaries of old.
 * A server whose timeline is older than one this process has seen is refused, also if it is the only one.
 */
export class HostChoice {
  readonly #options: HostChoiceOptions;
  readonly #rank: boolean;
  #place: ServerPlace;
  #isSure = false;
  #used: UsedServer | undefined;
  #answers: readonly Answer[] = [];
  #choosing: Promise<ServerPlace> | undefined;
  #looks: NodeJS.Timeout | undefined;
  #told = '';

  constructor(options: HostChoiceOptions) {
    this.#options = options;
    this.#place = options.servers[0];
    this.#rank = options.servers.length > 1 || options.demand !== 'any';
  }

  /** True if there are several servers, or the address says what the server has to allow. */
  get isChoice(): boolean {
    return this.#rank;
  }

  /** The place of the last choice, or the first place. */
  get place(): ServerPlace {
    return this.#place;
  }

  /** The server of the last session. Undefined before the first one. */
  get used(): UsedServer | undefined {
    return this.#used;
  }

  /** The other servers, and why none of them is used. */
  get others(): readonly string[] {
    return this.#answers.filter(({ place }) => place !== this.#place).map(describeAnswer);
  }

  /** Returns the server of the next session. Rejects if no server takes writes. */
  async choose(): Promise<ServerPlace> {
    if (!this.#rank || this.#isSure) return this.#place;
    this.#choosing ??= this.#chooseAmongAll().finally(() => {
      this.#choosing = undefined;
    });
    return this.#choosing;
  }

  /** Notes that a connection to a server failed or broke: the next session chooses again. */
  doubt(place: ServerPlace): void {
    if (isSame(place, this.#place)) this.#isSure = false;
  }

  /** Notes the facts of the server of a session. Throws if nothing may be written to that server. */
  admit(place: ServerPlace, facts: ServerFacts): void {
    const unfit = this.#whyUnfit(facts);
    if (unfit !== undefined) {
      this.doubt(place);
      throw new StoreError(unfit.code, `PostgreSQL at ${nameOf(place)} is not used: ${unfit.problem}`, {
        action: 'retry',
      });
    }
    const before = this.#used;
    this.#used = { ...place, ...facts };
    if (before !== undefined && historyOf(before) !== historyOf(this.#used)) {
      this.#options.log.warn(
        { before: describeServer(before), now: describeServer(this.#used) },
        'PostgreSQL is another server now: what this process knew of the database is read again',
      );
      this.#options.onChange();
    }
  }

  /** Ends the looks at the other servers. */
  close(): void {
    clearInterval(this.#looks);
  }

  #whyUnfit(facts: ServerFacts): ReturnType<typeof whyUnfit> {
    return whyUnfit(facts, { demand: this.#rank ? this.#options.demand : 'any', known: this.#used });
  }

  async #chooseAmongAll(): Promise<ServerPlace> {
    this.#answers = await this.#askAll();
    const { place } = this.#rankAnswers();
    this.#place = place;
    this.#isSure = true;
    const { lookMs = LOOK_MS } = this.#options;
    if (this.#options.servers.length > 1)
      this.#looks ??= setInterval(() => void this.#look(), lookMs).unref();
    return place;
  }

  #rankAnswers(): Usable {
    const chosen = chooseServer(this.#answers, { demand: this.#options.demand, known: this.#used });
    const { rivals } = chosen;
    const told = rivals.join('; ');
    if (told !== this.#told && told !== '')
      this.#options.log.warn(
        { used: nameOf(chosen.place), rivals, code: 'postgres.old_timeline' },
        'more than one server of PostgreSQL takes writes: stop the old primary, or make it a replica',
      );
    this.#told = told;
    return chosen;
  }

  /** Looks whether another server has become the primary, while the old one still answers. */
  async #look(): Promise<void> {
    if (this.#choosing !== undefined || !this.#isSure) return;
    this.#answers = await this.#askAll();
    try {
      const chosen = this.#rankAnswers();
      if (isSame(chosen.place, this.#place)) return;
      this.#place = chosen.place;
      this.admit(chosen.place, chosen.facts);
    } catch (error) {
      // The sessions notice by themselves that their server is away.
      this.#options.log.debug({ reason: messageOf(error) }, 'no server of PostgreSQL can be chosen');
    }
  }

  /** Asks all servers. Those that have not answered soon after one that takes writes are left out. */
  async #askAll(): Promise<Answer[]> {
    const { servers, ask } = this.#options;
    const answers: Answer[] = [];
    const over = new AbortController();
    let takeFirst: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      takeFirst = resolve;
    });
    const asking = servers.map(async (place) => {
      const answer = await ask(place).then(
        (facts): Answer => ({ place, facts }),
        (error: unknown): Answer => ({ place, error }),
      );
      if (!over.signal.aborted) answers.push(answer);
      if ('facts' in answer && this.#whyUnfit(answer.facts) === undefined) takeFirst();
    });
    const graceIsOver = first.then(() => sleep(GRACE_MS, undefined, { signal: over.signal }));
    await Promise.race([Promise.all(asking), graceIsOver.catch(() => undefined)]);
    over.abort();
    const order = (answer: Answer) => servers.indexOf(answer.place);
    return answers.sort(
      (a, b) => Number(b.place === this.#place) - Number(a.place === this.#place) || order(a) - order(b),
    );
  }
}

/** Returns the server with its role, version and timeline, for people. */
export function describeServer({ host, port, version, isReplica, identity }: UsedServer): string {
  const timeline = identity?.timeline === undefined ? '' : `, timeline ${identity.timeline}`;
  return `${host}:${port} (${isReplica ? 'replica' : 'primary'}, version ${version}${timeline})`;
}

/** Returns what changes when a server gets another history: its cluster and its timeline. */
export function historyOf({ host, port, identity }: UsedServer): string {
  return identity === undefined ? `${host}:${port}` : `${identity.system}/${identity.timeline ?? 'replica'}`;
}

function describeAnswer(answer: Answer): string {
  if ('error' in answer) return messageOf(answer.error);
  return describeServer({ ...answer.place, ...answer.facts });
}

function isSame(a: ServerPlace, b: ServerPlace): boolean {
  return a.host === b.host && a.port === b.port;
}
