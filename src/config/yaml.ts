import {
  Composer,
  type CST,
  type Document,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
  YAMLParseError,
} from 'yaml';
import { isNestedTooDeeply } from '../series/nesting.ts';
import { shorten } from './problem.ts';

export interface ReadYaml {
  readonly value: unknown;
  /**
   * The problems of the text, at most one sentence for each of its lines. No problem quotes the text, which
   * may hold secrets.
   */
  readonly problems: readonly string[];
}

/** The most lines of a text that are reported as wrong. */
const MAX_MISTAKES = 20;
/**
 * The most levels of maps and lists in a text. The library calls itself for each level, and too deep a stack
 * would end the process.
 */
const MAX_LEVELS = 100;

const QUOTES_NEEDED = 'a value that begins with * & ! @ % or ` needs quotes, such as cron: "*/10 * * * *"';
const TOO_DEEP = 'the text is nested too deeply';

/**
 * Reads YAML with anchors and merge keys (`<<`). The time grows with the length of the text, and not faster.
 */
export function readYaml(text: string): ReadYaml {
  const lines = new LineCounter();
  try {
    const document = compose(text, lines);
    if (document === undefined) return { value: undefined, problems: [TOO_DEEP] };
    const found = new Map<number, string>();
    const note = (offset: number, describe: (place: string) => string) => {
      const { line, col } = lines.linePos(offset);
      if (!found.has(line)) found.set(line, describe(`line ${line}, column ${col}`));
    };
    for (const error of [...document.errors, ...document.warnings])
      note(error.pos[0], (place) => describeError(error, place));
    // An alias must come after its anchor. All aliases are looked up in one walk of the document, instead of
    // a walk for each.
    const anchors = new Set<string>();
    visit(document, {
      Value(_, node) {
        if (node.anchor !== undefined) anchors.add(node.anchor);
        for (const key of isMap(node) ? findRepeated(node) : [])
          note(key.range?.[0] ?? 0, (place) => `${place}: Map keys must be unique`);
      },
      Alias(_, alias) {
        if (anchors.has(alias.source)) return;
        note(
          alias.range?.[0] ?? 0,
          (place) => `${place}: no anchor has the name of this alias; ${QUOTES_NEEDED}`,
        );
      },
    });
    if (found.size > 0) return { value: undefined, problems: shorten([...found.values()], MAX_MISTAKES) };
    const value: unknown = document.toJS();
    // Throws a TypeError if an anchor holds an alias of itself, since such a value has no end.
    JSON.stringify(value);
    return isNestedTooDeeply(value) ? { value: undefined, problems: [TOO_DEEP] } : { value, problems: [] };
  } catch (error) {
    return { value: undefined, problems: [describeFailure(error)] };
  }
}

/**
 * Parses the one document of a text. Returns undefined for a text with too many levels, before the library
 * calls itself for each of them.
 */
function compose(text: string, lines: LineCounter): Document.Parsed | undefined {
  const tokens = readTokens(text, lines);
  if (tokens === undefined) return undefined;
  // The library would quote the line of each error, and compare each key with all keys before it.
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false, merge: true });
  const [document, another] = composer.compose(tokens, true, text.length);
  if (another !== undefined)
    document?.errors.push(
      new YAMLParseError(
        [another.range[0], another.range[1]],
        'MULTIPLE_DOCS',
        'the text holds several documents, and only one can be read',
      ),
    );
  return document;
}

/** Returns the tokens of a text. Returns undefined if they are nested too deeply. */
function readTokens(text: string, lines: LineCounter): CST.Token[] | undefined {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_LEVELS) return undefined;
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** Returns the keys that the map has already before them. */
function findRepeated({ items }: YAMLMap): Scalar[] {
  const known = new Set<unknown>();
  const keys = items.flatMap(({ key }) => (isScalar(key) && key.value !== '<<' ? [key] : []));
  return keys.filter(({ value }) => known.has(value) || !known.add(value));
}

/** Returns the sentence of the parser without the text that it quotes. */
function describeError({ code, message }: YAMLError, place: string): string {
  if (code === 'TAG_RESOLVE_FAILED' || code === 'BAD_SCALAR_START') return `${place}: ${QUOTES_NEEDED}`;
  if (code === 'BAD_DQ_ESCAPE')
    return `${place}: a backslash in double quotes begins no escape that YAML knows; use single quotes`;
  if (code === 'BAD_DIRECTIVE') return `${place}: a line that begins with % is no directive of YAML`;
  const said = message.replace(/(?<=\S): .*$/s, '');
  return `${place}: ${said}${/ alias | node end/.test(said) ? `; ${QUOTES_NEEDED}` : ''}`;
}

function describeFailure(error: unknown): string {
  if (error instanceof ReferenceError)
    return 'the aliases repeat so much that the text would be too large; repeat less';
  if (error instanceof RangeError) return TOO_DEEP;
  if (error instanceof TypeError)
    return 'an anchor holds an alias of itself, which has no end; remove that alias';
  if (error instanceof Error && /^Merge sources/.test(error.message))
    return 'a merge key (<<) holds something else than maps, or aliases of maps';
  throw error;
}
