import { AsyncResource } from 'node:async_hooks';

/** A queue that was full has room again when it holds no more than this share of its bound. */
const ROOM_SHARE = 0.5;

/** An item that waits for a store, with its bytes. */
interface Waiting {
  /** Writes the item, in the surroundings of the one who put it: another write may begin it. */
  readonly write: () => Promise<void>;
  readonly bytes: number;
  /** Called when the item is written, or dropped. */
  readonly settle: () => void;
}

export interface StoreQueueOptions<Item> {
  /** Writes one item. If a write rejects, the queue drops the items that wait, and must be given no more. */
  readonly write: (item: Item) => Promise<void>;
  readonly maxBytes: number;
  /** Writes that are under way at once. */
  readonly writesAtOnce: number;
}

/**
 * The items that one store still has to write, oldest first. The queue takes every item; its caller looks at
 * `hasRoom` first, so that the queue stays bounded. A queue that has reached `maxBytes` has no room until
 * half of them are written.
 */
export class StoreQueue<Item> {
  readonly #options: StoreQueueOptions<Item>;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #bytes = 0;
  #full = false;
  #listeners: (() => void)[] = [];

  constructor(options: StoreQueueOptions<Item>) {
    this.#options = options;
  }

  /** True while so little waits that the store may soon have nothing to do. */
  get wantsMore(): boolean {
    const { maxBytes, writesAtOnce } = this.#options;
    return this.#bytes <= maxBytes * ROOM_SHARE && this.#waiting.length < writesAtOnce;
  }

  /** False while the store is too far behind to be given more. */
  get hasRoom(): boolean {
    return !this.#full;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0;
  }

  /** Adds an item. Resolves when the item is written, or dropped. */
  put(item: Item, bytes: number): Promise<void> {
    const write = AsyncResource.bind(() => this.#options.write(item));
    const settled = new Promise<void>((settle) => this.#waiting.push({ write, bytes, settle }));
    this.#bytes += bytes;
    if (this.#bytes >= this.#options.maxBytes) this.#full = true;
    this.#start();
    return settled;
  }

  /** Drops the items that no write has begun with. */
  clear(): void {
    for (const { bytes, settle } of this.#waiting) {
      this.#bytes -= bytes;
      settle();
    }
    this.#waiting = [];
    this.#tell();
  }

  /** Resolves when the next write ends, or when items are dropped. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  async untilIdle(): Promise<void> {
    while (!this.isIdle) await this.changed();
  }

  #start(): void {
    while (this.#underWay < this.#options.writesAtOnce) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#underWay += 1;
      next.write().then(
        () => this.#end(next),
        () => {
          this.clear();
          this.#end(next);
        },
      );
    }
  }

  #end({ bytes, settle }: Waiting): void {
    this.#underWay -= 1;
    this.#bytes -= bytes;
    settle();
    if (this.#bytes <= this.#options.maxBytes * ROOM_SHARE) this.#full = false;
    this.#start();
    this.#tell();
  }

  #tell(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}
