/** Which aliases a pattern matches, in a form that Postgres can compare. */
export type NameRule =
  | { readonly kind: 'any' }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | NamePattern;

/** A pattern as a regular expression of Postgres. */
export interface NamePattern {
  readonly kind: 'pattern';
  readonly regex: string;
  /** Whether aliases match that do not match `regex`. */
  readonly isContrary: boolean;
  /** An alias that matches in any case: the text of the pattern itself. */
  readonly literal: string;
  /** All aliases that match begin with this text. */
  readonly prefix: string;
}

/** Collects the values of a statement. */
export class StatementValues {
  readonly list: unknown[] = [];

  /** Adds a value, and returns its place in the statement: `$1`. */
  add(value: unknown): string {
    this.list.push(value);
    return `$${this.list.length}`;
  }
}

/**
 * Returns the SQL condition for a column of aliases. The collation is "C", as that of the index, so that a
 * prefix is a range of the index.
 */
export function nameRuleSql(rule: NameRule, column: string, values: StatementValues): string {
  const alias = `${column} collate "C"`;
  switch (rule.kind) {
    case 'any':
      return 'true';
    case 'names':
      return `${alias} = any(${values.add(rule.names)}::text[])`;
    case 'pattern': {
      const operator = rule.isContrary ? '!~' : '~';
      const matches = `(${alias} ${operator} ${values.add(rule.regex)} or ${alias} = ${values.add(rule.literal)})`;
      return [...prefixSql(rule.prefix, alias, values), matches].join(' and ');
    }
  }
}

function prefixSql(prefix: string, alias: string, values: StatementValues): string[] {
  if (prefix === '') return [];
  const end = endOfPrefix(prefix);
  const conditions = [`${alias} >= ${values.add(prefix)}`];
  if (end !== undefined) conditions.push(`${alias} < ${values.add(end)}`);
  return conditions;
}

/** Returns the first text behind all texts with a prefix, in the order of code points. */
function endOfPrefix(prefix: string): string | undefined {
  const characters = [...prefix];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    // Surrogates are no characters.
    const next = code + 1 === 0xd800 ? 0xe000 : code + 1;
    if (next <= 0x10ffff) return characters.join('') + String.fromCodePoint(next);
  }
  return undefined;
}
