import { LineCounter, parseDocument, visit, type YAMLError } from 'yaml';

export interface ReadYaml {
  readonly value: unknown;
  /**
   * The problems of the text, at most one sentence for each of its lines. No problem quotes the text, which
   * may hold secrets.
   */
  readonly problems: readonly string[];
}

const MAX_PROBLEMS = 20;

const QUOTES_NEEDED = 'a value that begins with * & ! @ % or ` needs quotes, such as cron: "*/10 * * * *"';

/** Reads YAML with anchors and merge keys (`<<`). */
export function readYaml(text: string): ReadYaml {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      prettyErrors: true,
      merge: true,
      lineCounter: lines,
      logLevel: 'error',
    });
    const found = new Map<number, string>();
    const note = (line: number, problem: string) => found.has(line) || found.set(line, problem);
    for (const error of [...document.errors, ...document.warnings])
      note(error.linePos?.[0].line ?? 0, describeError(error));
    // An alias must come after its anchor. All aliases are looked up in one walk of the document, instead of
    // a walk for each.
    const anchors = new Set<string>();
    visit(document, {
      Value(_, { anchor }) {
        if (anchor !== undefined) anchors.add(anchor);
      },
      Alias(_, alias) {
        if (anchors.has(alias.source)) return;
        const { line, col } = lines.linePos(alias.range?.[0] ?? 0);
        note(line, `line ${line}, column ${col}: no anchor has the name of this alias; ${QUOTES_NEEDED}`);
      },
    });
    if (found.size > 0) return { value: undefined, problems: shorten([...found.values()]) };
    const value: unknown = document.toJS();
    // Throws a TypeError if an anchor holds an alias of itself, since such a value has no end.
    JSON.stringify(value);
    return { value, problems: [] };
  } catch (error) {
    return { value: undefined, problems: [describeFailure(error)] };
  }
}

/** Keeps the first problems, since one mistake may lead to thousands. */
function shorten(problems: readonly string[]): readonly string[] {
  const more = problems.length - MAX_PROBLEMS;
  return more > 0 ? [...problems.slice(0, MAX_PROBLEMS), `and ${more} more`] : problems;
}

/** Returns the sentence of the parser without the text that it quotes. */
function describeError({ code, message, linePos }: YAMLError): string {
  const { line = 0, col = 0 } = linePos?.[0] ?? {};
  const at = `line ${line}, column ${col}`;
  if (code === 'TAG_RESOLVE_FAILED' || code === 'BAD_SCALAR_START') return `${at}: ${QUOTES_NEEDED}`;
  const [first = ''] = message.split('\n');
  const said = first.replace(/ at line \d+, column \d+:?$/, '').replace(/: .*$/s, '');
  return `${at}: ${said}${/ alias | node end/.test(said) ? `; ${QUOTES_NEEDED}` : ''}`;
}

function describeFailure(error: unknown): string {
  if (error instanceof ReferenceError)
    return 'its aliases repeat so much that it would be too large; repeat less';
  if (error instanceof RangeError) return 'it is nested too deep';
  if (error instanceof TypeError)
    return 'an anchor holds an alias of itself, which has no end; remove that alias';
  throw error;
}
