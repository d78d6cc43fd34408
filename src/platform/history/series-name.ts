/** A series as a reply names it. */
export interface NamedSeries {
  /** The name that was asked for. */
  readonly name: string;
  /** The function written around it, as in `mean("obj.prop")`. */
  readonly fn: string | undefined;
}

/**
 * The names that were asked for, as replies may spell them. Built once for a reply: a reply may hold any number of names of any length,
 * so that each is looked up and none is compared with all that were asked for.
 */
export class AskedNames {
  readonly #names: ReadonlySet<string>;
  /** What an asked name may be shortened to at a dot, slash or colon, in small letters; undefined where several names are. */
  readonly #endings = new Map<string, string | undefined>();
  readonly #whole = new Map<string, string | undefined>();
  #longest = 0;

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
    for (const name of names) {
      const lower = name.toLowerCase();
      this.#longest = Math.max(this.#longest, lower.length);
      note(this.#whole, lower, name);
      for (const ending of endingsOf(lower, lower.length)) note(this.#endings, ending, name);
    }
  }

  /**
   * Finds which of the asked names a reply means: the same text, the text in quotes, brackets or a function, or else
   * the only asked name that ends like it (or that it ends like) at a dot, slash or colon. Returns undefined if none or several do.
   */
  match(text: string): NamedSeries | undefined {
    if (this.#names.has(text)) return { name: text, fn: undefined };
    const { fn, inner } = unwrap(text);
    if (this.#names.has(inner)) return { name: inner, fn };
    const name = this.#endsLike(inner.toLowerCase());
    return name === undefined ? undefined : { name, fn };
  }

  #endsLike(lower: string): string | undefined {
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

/** The text and all that follows a dot, slash or colon in it, as far as it is not longer than that. */
function* endingsOf(text: string, maxLength: number): Generator<string> {
  if (text.length <= maxLength && text !== '') yield text;
  for (let at = Math.max(0, text.length - maxLength - 1); at < text.length - 1; at += 1)
    if (boundaries.has(text.charAt(at))) yield text.slice(at + 1);
}

const boundaries = new Set(['.', '/', ':']);
/** A platform wraps a name in a function, in brackets and in quotes; what is wrapped more often is no name. */
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
