/** A series as a reply names it. */
export interface NamedSeries {
  /** The name that was asked for. */
  readonly name: string;
  /** The function that is written around the name, as in `mean("obj.prop")`. */
  readonly fn: string | undefined;
}

/**
 * Finds names that were asked for in the spellings of replies. It is built once for a reply. A reply may hold
 * any number of names of any length, so each name is looked up, and not compared with all asked names. Most
 * replies spell all names as the request does. Endings are noted when the first name is spelled otherwise.
 */
export class AskedNames {
  readonly #names: ReadonlySet<string>;
  #hasEndings = false;
  /**
   * The endings of asked names behind a dot, slash or colon, in small letters. The value is undefined if
   * several names have that ending.
   */
  readonly #endings = new Map<string, string | undefined>();
  readonly #whole = new Map<string, string | undefined>();
  #longest = 0;

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  /**
   * Finds the asked name that a text of a reply means. The text is the name, or the name in quotes, brackets
   * or a function. Otherwise the text means the only asked name that ends like it, or that it ends like, at a
   * dot, slash or colon. Returns undefined if there is no such name, or several.
   */
  match(text: string): NamedSeries | undefined {
    if (this.#names.has(text)) return { name: text, fn: undefined };
    const { fn, inner } = unwrap(text);
    if (this.#names.has(inner)) return { name: inner, fn };
    const name = this.#endsLike(inner.toLowerCase());
    return name === undefined ? undefined : { name, fn };
  }

  #noteEndings(): void {
    if (this.#hasEndings) return;
    this.#hasEndings = true;
    for (const name of this.#names) {
      const lower = name.toLowerCase();
      this.#longest = Math.max(this.#longest, lower.length);
      note(this.#whole, lower, name);
      for (const ending of endingsOf(lower, lower.length)) note(this.#endings, ending, name);
    }
  }

  #endsLike(lower: string): string | undefined {
    this.#noteEndings();
    const found = new Set<string | undefined>();
    if (this.#endings.has(lower)) found.add(this.#endings.get(lower));
    for (const ending of endingsOf(lower, this.#longest))
      if (this.#whole.has(ending)) found.add(this.#whole.get(ending));
    const [only] = found;
    return found.size === 1 ? only : undefined;
  }
}

function note(names: Map<string, string | undefined>, key: string, name: string): void {
  names.set(key, names.has(key) && names.get(key) !== name ? undefined : name);
}

/**
 * Yields the text and its endings behind a dot, slash or colon, if they have at most `maxLength` characters.
 */
function* endingsOf(text: string, maxLength: number): Generator<string> {
  if (text.length <= maxLength && text !== '') yield text;
  for (let at = Math.max(0, text.length - maxLength - 1); at < text.length - 1; at += 1)
    if (boundaries.has(text.charAt(at))) yield text.slice(at + 1);
}

const boundaries = new Set(['.', '/', ':']);
/** The most functions, brackets and quotes around a name. A text that is wrapped more often is no name. */
const MAX_WRAPPINGS = 8;

function unwrap(text: string): { fn: string | undefined; inner: string } {
  let fn: string | undefined;
  let inner = text.trim();
  for (let wrappings = 0; wrappings < MAX_WRAPPINGS; wrappings += 1) {
    const call = /^(\w*)\((.*)\)$/s.exec(inner);
    if (call !== null) {
      fn ??= call[1] || undefined;
      inner = (call[2] ?? '').trim();
    } else if (/^".*"$/s.test(inner)) inner = inner.slice(1, -1);
    else break;
  }
  return { fn, inner };
}
