/** A series as a reply names it. */
export interface NamedSeries {
  /** The name that was asked for. */
  readonly name: string;
  /** The function written around it, as in `mean("obj.prop")`. */
  readonly fn: string | undefined;
}

/**
 * Finds which of the asked names a reply means: the same text, the text in quotes, brackets or a function, or else
 * the only asked name that ends like it (or that it ends like) at a dot, slash or colon. Undefined if none or several do.
 */
export function matchSeriesName(text: string, asked: ReadonlySet<string>): NamedSeries | undefined {
  if (asked.has(text)) return { name: text, fn: undefined };
  const { fn, inner } = unwrap(text);
  if (asked.has(inner)) return { name: inner, fn };
  let found: string | undefined;
  for (const name of asked) {
    if (!endsAlike(name, inner)) continue;
    if (found !== undefined) return undefined;
    found = name;
  }
  return found === undefined ? undefined : { name: found, fn };
}

function unwrap(text: string): { fn: string | undefined; inner: string } {
  let fn: string | undefined;
  let inner = text.trim();
  for (;;) {
    const call = /^(\w*)\((.*)\)$/s.exec(inner);
    if (call !== null) {
      fn ??= call[1] || undefined;
      inner = (call[2] ?? '').trim();
    } else if (/^".*"$/s.test(inner)) inner = inner.slice(1, -1);
    else return { fn, inner };
  }
}

function endsAlike(name: string, other: string): boolean {
  const [short, long] = name.length < other.length ? [name, other] : [other, name];
  const lead = long.length - short.length;
  if (short === '' || long.slice(lead).toLowerCase() !== short.toLowerCase()) return false;
  return lead === 0 || /[./:]/.test(long.charAt(lead - 1));
}
