import type { Page, Platform } from '../../src/platform/platform.ts';

/** How the model's list is paged: every way in which a platform may mislead a reader. */
export interface ListBehaviour {
  /** Entries of a page, whatever size was asked for. */
  readonly size: number;
  readonly total: 'exact' | 'absent' | 'first-page' | 'zero' | 'high' | 'low' | 'of-page' | 'random';
  readonly pastEnd: 'empty' | 'empty-and-0' | 'last-page' | 'last-entry';
  readonly ignoresPage: boolean;
  /** One of this many entries has no key. 0 if all have one. */
  readonly keylessEvery: number;
  /**
   * Changes of the list. An entry is added or removed at this share of the list, just before this request is
   * answered.
   */
  readonly changes: readonly {
    readonly request: number;
    readonly kind: 'add' | 'remove';
    readonly at: number;
  }[];
  /**
   * How long requests take, in turn. Requests under way together are answered in another order than they were
   * sent.
   */
  readonly delays: readonly number[];
}

export interface ModelEntry {
  readonly id: number;
  readonly name: string | undefined;
}

/** A reader that sends more requests than this would never end. */
const MAX_REQUESTS = 500;

/** A list in memory whose entries are all known. */
export class ModelList implements Pick<Platform, 'listPage'> {
  readonly #behaviour: ListBehaviour;
  #entries: ModelEntry[];
  #made = 0;
  /** Ids of the entries that were in the list from the first request to the last. */
  readonly always: Set<number>;
  requests = 0;
  open = 0;
  mostOpen = 0;

  constructor(count: number, behaviour: ListBehaviour) {
    this.#behaviour = behaviour;
    this.#entries = Array.from({ length: count }, () => this.#make());
    this.always = new Set(this.#entries.map(({ id }) => id));
  }

  get length(): number {
    return this.#entries.length;
  }

  readonly listPage: Platform['listPage'] = async (_id, input, { signal } = {}) => {
    signal?.throwIfAborted();
    this.requests += 1;
    const number = this.requests;
    if (this.requests > MAX_REQUESTS) throw new Error('the reader does not end');
    const { page } = input.query as { page: number };
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    await this.#wait(number);
    this.open -= 1;
    this.#change(number);
    return this.#page(this.#behaviour.ignoresPage ? 1 : page);
  };

  #make(): ModelEntry {
    this.#made += 1;
    const { keylessEvery } = this.#behaviour;
    const isKeyless = keylessEvery > 0 && this.#made % keylessEvery === 0;
    return { id: this.#made, name: isKeyless ? undefined : `entry ${this.#made}` };
  }

  async #wait(number: number): Promise<void> {
    const { delays } = this.#behaviour;
    const turns = delays.length === 0 ? 0 : (delays[number % delays.length] ?? 0);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
  }

  #change(number: number): void {
    for (const { request, kind, at } of this.#behaviour.changes) {
      if (request !== number) continue;
      const index = Math.floor(at * this.#entries.length);
      if (kind === 'add') this.#entries.splice(index, 0, this.#make());
      else for (const { id } of this.#entries.splice(index, 1)) this.always.delete(id);
    }
  }

  #page(page: number): Page {
    const { size, pastEnd } = this.#behaviour;
    let items = this.#entries.slice((page - 1) * size, page * size);
    const isPastEnd = items.length === 0;
    if (isPastEnd && pastEnd === 'last-entry') items = this.#entries.slice(-1);
    if (isPastEnd && pastEnd === 'last-page')
      items = this.#entries.slice(Math.floor((this.length - 1) / size) * size);
    const total = isPastEnd && pastEnd === 'empty-and-0' ? 0 : this.#total(page, items.length);
    return { items, total, bytes: items.length };
  }

  #total(page: number, items: number): number | undefined {
    switch (this.#behaviour.total) {
      case 'exact':
        return this.length;
      case 'absent':
        return undefined;
      case 'first-page':
        return page === 1 ? this.length : undefined;
      case 'zero':
        return 0;
      case 'high':
        return this.length + 7;
      case 'low':
        return Math.max(0, this.length - this.#behaviour.size);
      case 'of-page':
        return items;
      case 'random':
        return (this.requests * 7919) % (2 * this.length + 2);
    }
  }
}
