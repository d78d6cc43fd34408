import type { LogEntry } from './log-entry.ts';

/** Repeats are gathered for this long before they are said with a count. */
const GATHER_MS = 60_000;
/** Kinds of entries that are told apart at once. The oldest kind makes place for another. */
const MOST_KINDS = 1_000;
/** Matches a time of ISO 8601: that of the next window differs, and its reason is the same. */
const TIME = /\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?/g;
/** Matches a number that is no part of a name or of a time. */
const LONE_NUMBER = /(?<![\w.:-])\d+(?:[.,]\d+)*(?![\w:-]|[.]\w)/g;
const LIMITED_LEVELS = ['warn', 'error'];
/** The facts that tell entries with the same message apart. */
const TELLING_FACTS = ['code', 'stream', 'job', 'store', 'operation', 'redis', 'role', 'holder'];

interface Repeats {
  readonly timer: NodeJS.Timeout;
  readonly sinceMs: number;
  count: number;
  /** The newest entry that was held back. */
  newest: LogEntry | undefined;
}

/**
 * Says a warning or error that repeats once, and then once a minute: the newest entry of its kind, with a
 * count. Entries are of one kind if message, code, stream and the like are equal. Numbers and times within a
 * message do not count, since `again in 4 s` repeats `again in 2 s`.
 */
export class RepeatLimit {
  readonly #say: (entry: LogEntry) => void;
  readonly #clock: () => number;
  readonly #kinds = new Map<string, Repeats>();

  /** `clock` is in epoch milliseconds, as entries of the log are. */
  constructor(say: (entry: LogEntry) => void, clock: () => number) {
    this.#say = say;
    this.#clock = clock;
  }

  /** Returns true for an entry to be said now. Any other entry is kept, and counted. */
  allows(entry: LogEntry): boolean {
    if (!LIMITED_LEVELS.includes(entry.level)) return true;
    const kind = kindOf(entry);
    const known = this.#kinds.get(kind);
    if (known === undefined) {
      if (this.#kinds.size >= MOST_KINDS) this.#endOldest();
      this.#begin(kind);
      return true;
    }
    known.count += 1;
    known.newest = entry;
    return false;
  }

  /** Says what is held back. */
  close(): void {
    for (const kind of this.#kinds.keys()) this.#end(kind);
  }

  #begin(kind: string): void {
    // Nobody waits for a count: the timer keeps no process alive.
    const timer = setTimeout(() => {
      if (this.#end(kind)) this.#begin(kind);
    }, GATHER_MS).unref();
    this.#kinds.set(kind, { timer, sinceMs: this.#clock(), count: 0, newest: undefined });
  }

  #endOldest(): void {
    const [oldest] = this.#kinds.keys();
    if (oldest !== undefined) this.#end(oldest);
  }

  /** Ends a kind, and says what was held back of it. Returns true if there was something to say. */
  #end(kind: string): boolean {
    const { timer, sinceMs, count, newest } = this.#kinds.get(kind) ?? {};
    clearTimeout(timer);
    this.#kinds.delete(kind);
    if (newest === undefined || count === undefined || sinceMs === undefined) return false;
    this.#say({ ...newest, repeated: count, since: new Date(sinceMs).toISOString() });
    return true;
  }
}

function kindOf(entry: LogEntry): string {
  const message = entry.msg?.replace(TIME, '#').replace(LONE_NUMBER, '#');
  return JSON.stringify([entry.level, message, ...TELLING_FACTS.map((name) => entry[name])]);
}
