import type { NoticeRecord } from '../ledger/notices.ts';
import { keyOf, type Message, type Notice, type Noticed, nextMessage, type Webhook } from './notice.ts';

/** Most notices that are kept. */
const MOST_NOTICES = 1_000;
/** A notice that is over is given up after this time, although not every webhook took it. */
const GIVEN_UP_US = 86_400e6;

interface Candidate {
  readonly problem: Pick<Noticed, 'event' | 'subject'>;
  readonly firstMs: number;
  lastMs: number;
}

export interface Look {
  readonly found: readonly Noticed[];
  /** Tells whether the look could not see a problem. What is unknown stays as it was. */
  readonly isUnknown: (problem: Pick<Noticed, 'event' | 'subject'>) => boolean;
  /** Milliseconds of a clock that nobody sets, and the time of day in epoch microseconds. */
  readonly steadyMs: number;
  readonly at: number;
}

/**
 * Remembers which problems there are, and what the webhooks know of them.
 *
 *     (nothing) ──seen for `afterMs`──► open ──not seen for `afterMs`──► over ──all know──► (forgotten)
 *
 * A problem that comes and goes within `afterMs` is one problem.
 */
export class NoticeBook {
  readonly #afterMs: number;
  readonly #newId: () => string;
  readonly #candidates = new Map<string, Candidate>();
  readonly #notices = new Map<string, Notice>();
  readonly #lastSeenMs = new Map<string, number>();
  /** Notices that nobody is told of yet. */
  readonly #held = new Set<string>();
  readonly #unsaved = new Set<string>();
  readonly #forgotten = new Set<string>();

  constructor({ afterMs, newId }: { readonly afterMs: number; readonly newId: () => string }) {
    this.#afterMs = afterMs;
    this.#newId = newId;
  }

  /** Takes over what another process, or this one before its restart, has noted in the ledger. */
  adopt(records: readonly NoticeRecord[], steadyMs: number): void {
    for (const record of records) {
      if (this.#notices.has(record.id) || this.#forgotten.has(record.id)) continue;
      this.#notices.set(record.id, record as Notice);
      this.#lastSeenMs.set(record.id, steadyMs);
    }
  }

  /** Notes what is wrong now. */
  look({ found, isUnknown, steadyMs, at }: Look): void {
    const seen = new Map(found.map((each) => [keyOf(each), each]));
    for (const [key, noticed] of seen) this.#see(key, noticed, { steadyMs, at });
    for (const [key, candidate] of this.#candidates)
      if (seen.has(key) || isUnknown(candidate.problem)) candidate.lastMs = steadyMs;
      else if (steadyMs - candidate.lastMs >= this.#afterMs) this.#candidates.delete(key);
    for (const notice of this.#open()) {
      const { id, key, body } = notice;
      if (seen.has(key) || isUnknown(body)) this.#lastSeenMs.set(id, steadyMs);
      else if (steadyMs - (this.#lastSeenMs.get(id) ?? steadyMs) >= this.#afterMs)
        this.#change({ ...notice, recoveredAt: at });
    }
    this.#giveUpOld(at);
  }

  #see(key: string, noticed: Noticed, { steadyMs, at }: Pick<Look, 'steadyMs' | 'at'>): void {
    if (this.#open().some((notice) => notice.key === key)) return;
    const { event, subject } = noticed;
    const candidate = this.#candidates.get(key) ?? {
      ...{ problem: { event, subject }, firstMs: steadyMs, lastMs: steadyMs },
    };
    this.#candidates.set(key, candidate);
    if (steadyMs - candidate.firstMs < this.#afterMs) return;
    this.#candidates.delete(key);
    const id = this.#newId();
    this.#lastSeenMs.set(id, steadyMs);
    this.#held.add(id);
    this.#change({ id, key, openedAt: at, recoveredAt: undefined, body: noticed, told: {} });
  }

  #open(): Notice[] {
    return [...this.#notices.values()].filter(({ recoveredAt }) => recoveredAt === undefined);
  }

  #change(notice: Notice): void {
    this.#notices.set(notice.id, notice);
    this.#unsaved.add(notice.id);
  }

  #giveUpOld(at: number): void {
    const over = [...this.#notices.values()].filter(({ recoveredAt }) => recoveredAt !== undefined);
    const tooMany = this.#notices.size - MOST_NOTICES;
    for (const [k, { id, recoveredAt = at }] of over.entries())
      if (k < tooMany || at - recoveredAt > GIVEN_UP_US) this.#forget(id);
  }

  #forget(id: string): void {
    this.#notices.delete(id);
    this.#lastSeenMs.delete(id);
    this.#held.delete(id);
    this.#unsaved.delete(id);
    this.#forgotten.add(id);
  }

  /**
   * Lets new notices be told, after the ledger was asked to keep them. A notice that the ledger does not know
   * gets another id of the next process, so that webhooks would be told twice.
   */
  publish(): void {
    this.#held.clear();
  }

  /** Returns the oldest message that a webhook has not taken yet. */
  nextFor(webhook: Webhook): Message | undefined {
    for (const notice of this.#notices.values()) {
      const tells = this.#held.has(notice.id) ? undefined : nextMessage(notice, webhook);
      if (tells !== undefined) return { notice, tells };
    }
    return undefined;
  }

  /** Notes that a webhook has taken a message. */
  noteTaken({ notice: { id }, tells }: Message, { name }: Pick<Webhook, 'name'>): void {
    const notice = this.#notices.get(id);
    if (notice !== undefined) this.#change({ ...notice, told: { ...notice.told, [name]: tells } });
  }

  /** Forgets notices that are over and of which all webhooks know all they want to. */
  settle(webhooks: readonly Webhook[]): void {
    for (const notice of this.#notices.values()) {
      const isOver = notice.recoveredAt !== undefined;
      if (isOver && webhooks.every((webhook) => nextMessage(notice, webhook) === undefined))
        this.#forget(notice.id);
    }
  }

  /** Writes all changes by `save` and `remove`. What could not be written is written next time. */
  async write({
    save,
    remove,
  }: {
    readonly save: (notice: NoticeRecord) => Promise<void>;
    readonly remove: (id: string) => Promise<void>;
  }): Promise<void> {
    for (const id of [...this.#unsaved]) {
      const notice = this.#notices.get(id);
      if (notice !== undefined) await save(notice);
      if (notice === this.#notices.get(id)) this.#unsaved.delete(id);
    }
    for (const id of [...this.#forgotten]) {
      await remove(id);
      this.#forgotten.delete(id);
    }
  }

  /** Forgets everything, because another process tells from now on. */
  clear(): void {
    for (const map of [this.#candidates, this.#notices, this.#lastSeenMs]) map.clear();
    for (const set of [this.#held, this.#unsaved, this.#forgotten]) set.clear();
  }
}
