import { Breaks } from '../../breaks.ts';
import type { SeriesNames } from '../../load/rows/read-series-names.ts';

/** A property that a search found. */
export interface FoundNames extends SeriesNames {
  /** How well the names fit the question. Larger is better. */
  readonly score: number;
}

/** The parts of a name in the form in which they are compared. */
interface Compared {
  readonly name: string;
  readonly showName: string;
}

interface IndexedObject extends Compared {
  readonly names: Pick<SeriesNames, 'object' | 'objectShowName' | 'template'>;
  /** Numbers of the kinds of its properties. */
  readonly kinds: number[];
}

interface Kind extends Compared {
  readonly names: Pick<SeriesNames, 'property' | 'propertyShowName' | 'primitiveType'>;
}

/** The most words of a question. Further words are left out. */
const MAX_WORDS = 8;
/** How well a word fits a name: equal, at its begin, at the begin of a word in it, or anywhere. */
const FITS = { equal: 8, begin: 5, word: 3, within: 2, none: 0 } as const;

/**
 * Finds properties by parts of their names. Objects of one template have the same properties. So each kind of
 * property is kept and compared once, and 100,000 objects are searched in some milliseconds.
 */
export class NameIndex {
  readonly #objects: IndexedObject[] = [];
  readonly #kinds: Kind[] = [];
  readonly #numbers = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#objects.length === 0;
  }

  /** Adds properties. Those of one object come one after the other. */
  add(all: readonly SeriesNames[]): void {
    for (const { object, objectShowName, template, property, propertyShowName, primitiveType } of all) {
      let last = this.#objects.at(-1);
      if (last?.names.object !== object) {
        last = {
          names: { object, objectShowName, template },
          ...compared(object, objectShowName),
          kinds: [],
        };
        this.#objects.push(last);
      }
      last.kinds.push(this.#numberOf({ property, propertyShowName, primitiveType }));
    }
  }

  /** Returns the properties that fit all words, the best first, and how many fit. */
  async find(question: string, limit: number): Promise<{ items: FoundNames[]; total: number }> {
    const words = foldName(question)
      .split(/[\s./]+/)
      .filter((word) => word !== '')
      .slice(0, MAX_WORDS);
    const whole = foldName(question).trim();
    const byKind = this.#kinds.map((kind) => words.map((word) => fitOf(word, kind)));
    const best = new BestFound(limit);
    const breaks = new Breaks();
    for (const [k, object] of this.#objects.entries()) {
      if (breaks.dueAt(k)) await breaks.take();
      const own = words.map((word) => fitOf(word, object));
      for (const number of object.kinds) {
        const kind = this.#kinds[number] as Kind;
        const score = scoreOf(own, byKind[number] ?? []);
        if (score < 0) continue;
        const isWhole = whole === `${object.name}.${kind.name}` || whole === `${object.name}/${kind.name}`;
        best.offer(isWhole ? score + 100 : score, object, kind);
      }
    }
    return { items: best.list(), total: best.offered };
  }

  #numberOf(names: Kind['names']): number {
    // No name holds a NUL, which Postgres cannot store.
    const key = `${names.property}\0${names.propertyShowName ?? ''}\0${names.primitiveType ?? ''}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#kinds.length);
    return this.#kinds.push({ names, ...compared(names.property, names.propertyShowName) }) - 1;
  }
}

/** Returns a name in the form in which names are compared. Case and width of letters make no difference. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function compared(name: string, showName: string | null): Compared {
  return { name: foldName(name), showName: foldName(showName ?? '') };
}

function fitOf(word: string, { name, showName }: Compared): number {
  return Math.max(fitInto(word, name), fitInto(word, showName));
}

function fitInto(word: string, name: string): number {
  const at = name.indexOf(word);
  if (at < 0) return FITS.none;
  if (at === 0) return name.length === word.length ? FITS.equal : FITS.begin;
  return /[\p{L}\p{N}]/u.test(name[at - 1] as string) ? FITS.within : FITS.word;
}

/** Returns -1 if a word fits neither name. A word counts where it fits better. */
function scoreOf(object: readonly number[], kind: readonly number[]): number {
  let score = 0;
  for (let k = 0; k < object.length; k += 1) {
    const fit = Math.max(object[k] as number, kind[k] as number);
    if (fit === FITS.none) return -1;
    score += fit;
  }
  return score;
}

/** Keeps the best of many that are offered. Of equal ones the first stays. */
class BestFound {
  readonly #byScore = new Map<number, FoundNames[]>();
  readonly #limit: number;
  offered = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Most that are offered are not kept, and cost nothing but a look. */
  offer(score: number, object: IndexedObject, kind: Kind): void {
    this.offered += 1;
    const equal = this.#byScore.get(score);
    if (equal !== undefined && equal.length >= this.#limit) return;
    const found = { ...object.names, ...kind.names, score };
    if (equal === undefined) this.#byScore.set(score, [found]);
    else equal.push(found);
  }

  list(): FoundNames[] {
    const scores = [...this.#byScore.keys()].sort((a, b) => b - a);
    return scores.flatMap((score) => this.#byScore.get(score) ?? []).slice(0, this.#limit);
  }
}
