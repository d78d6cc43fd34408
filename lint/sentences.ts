import ts from 'typescript';

/** A text that people read: a comment, a message, a paragraph. */
export interface Passage {
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** What is wrong with a sentence or a line. */
export interface Finding {
  readonly line: number;
  readonly problem: string;
  readonly excerpt: string;
}

/** The most words that a sentence may have. */
const MAX_WORDS = 25;
/** The most columns that a line of a comment may have. */
const MAX_COLUMNS = 110;
/** A text with fewer words is a name or a mark, no message. */
const LEAST_WORDS = 3;
const EXCERPT_CHARACTERS = 90;

/** Words that people who learned English at school stumble over, and what to write. */
const UNWANTED: readonly { readonly pattern: RegExp; readonly say: string }[] = [
  { pattern: /\banew\b/i, say: 'again' },
  { pattern: /\bbeside\b/i, say: 'next to, besides, or with' },
  { pattern: /\bshall\b/i, say: 'must, or the present tense' },
  { pattern: /\bwho(?:so)?ever\b/i, say: 'the caller, the process, or anyone who' },
  { pattern: /\bin place of\b/i, say: 'instead of' },
  { pattern: /\bhas it not\b/i, say: 'does not have it' },
  { pattern: /\bcannot be had\b/i, say: 'is not available' },
  { pattern: /^Of (?!course\b)[^.?!]*?,/, say: 'a sentence that begins with its subject' },
];

/** Checks the comments and the messages of a TypeScript file. */
export function checkTypeScript(
  source: string,
  { hasMessages, isTsx = false }: { hasMessages: boolean; isTsx?: boolean },
): Finding[] {
  const kind = isTsx ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile('source', source, ts.ScriptTarget.Latest, true, kind);
  const comments = commentsOf(file);
  return [
    ...comments.flatMap((comment) => wideLines(source, comment)),
    ...comments.map(({ line, text }) => ({ line, text: bare(text) })).flatMap(checkPassage),
    ...(hasMessages ? messagesOf(file).flatMap(checkPassage) : []),
  ].sort((a, b) => a.line - b.line);
}

/** Checks the paragraphs, list items and table cells of a Markdown file. Code is left out. */
export function checkMarkdown(source: string): Finding[] {
  const passages: { line: number; text: string }[] = [];
  let inCode = false;
  let open: { line: number; text: string } | undefined;
  for (const [k, written] of source.split('\n').entries()) {
    if (/^\s*```/.test(written)) inCode = !inCode;
    const text = written.trim();
    const isTable = text.startsWith('|');
    if (inCode || text === '' || isTable || /^(```|#|<)/.test(text)) open = undefined;
    if (inCode || text === '' || /^(```|#|<)/.test(text)) continue;
    if (isTable)
      passages.push(...text.split(/(?<!\\)\|/).map((cell) => ({ line: k + 1, text: cell.trim() })));
    else if (open === undefined || /^([-*]|\d+\.) /.test(text)) {
      open = { line: k + 1, text: text.replace(/^([-*]|\d+\.) /, '') };
      passages.push(open);
    } else open.text += ` ${text}`;
  }
  return passages.flatMap(checkPassage);
}

/** Checks the comments of a YAML file. */
export function checkYaml(source: string): Finding[] {
  const passages: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | undefined;
  for (const [k, line] of source.split('\n').entries()) {
    const comment = /(?:^|\s)# (.*)$/.exec(line);
    const isAlone = /^\s*# /.test(line);
    if (comment === null) open = undefined;
    else if (open !== undefined && isAlone) open.text += ` ${comment[1]}`;
    else {
      open = { line: k + 1, text: comment[1] ?? '' };
      passages.push(open);
    }
    if (!isAlone) open = undefined;
  }
  return passages.flatMap(checkPassage);
}

function checkPassage({ line, text }: Passage): Finding[] {
  return text.split(/(?<=[.!?]['"”)]*)\s+|\n\s*\n|\n(?=\s*- )/).flatMap((sentence) => {
    const found: Finding[] = [];
    const excerpt = sentence.trim().replace(/\s+/g, ' ').slice(0, EXCERPT_CHARACTERS);
    const words = countWords(sentence);
    if (words > MAX_WORDS) found.push({ line, problem: `${words} words, at most ${MAX_WORDS}`, excerpt });
    for (const { pattern, say } of UNWANTED) {
      const hit = words < LEAST_WORDS ? null : pattern.exec(withoutCode(sentence).trim());
      if (hit !== null) found.push({ line, problem: `"${hit[0].slice(0, 20)}": say ${say}`, excerpt });
    }
    return found;
  });
}

function countWords(sentence: string): number {
  return withoutCode(sentence)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** A piece of code counts as one word, and may be any. */
function withoutCode(sentence: string): string {
  return sentence.replace(/`[^`]*`/g, 'code').replace(/\]\([^)]*\)/g, ']');
}

function wideLines(source: string, { line, text }: Passage): Finding[] {
  const lines = source.split('\n').slice(line - 1, line - 1 + text.split('\n').length);
  return lines.flatMap((written, k) =>
    written.length > MAX_COLUMNS && !/https?:\/\//.test(written)
      ? [
          {
            line: line + k,
            problem: `${written.length} columns, at most ${MAX_COLUMNS}`,
            excerpt: written.trim().slice(0, EXCERPT_CHARACTERS),
          },
        ]
      : [],
  );
}

/** Lists the comments of a file with their marks. Line comments on following lines are one comment. */
function commentsOf(file: ts.SourceFile): Passage[] {
  const source = file.text;
  const ranges = new Map<number, ts.CommentRange>();
  const add = (found: readonly ts.CommentRange[] | undefined): void => {
    for (const range of found ?? []) ranges.set(range.pos, range);
  };
  const visit = (node: ts.Node): void => {
    add(ts.getLeadingCommentRanges(source, node.getFullStart()));
    add(ts.getTrailingCommentRanges(source, node.getEnd()));
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  const comments: { line: number; text: string; end: number }[] = [];
  for (const { pos, end } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const text = source.slice(pos, end);
    const last = comments.at(-1);
    const isNext = last !== undefined && /^\n[ \t]*$/.test(source.slice(last.end, pos));
    if (isNext && text.startsWith('//') && last.text.startsWith('//')) {
      last.text += `\n${text}`;
      last.end = end;
    } else comments.push({ line: file.getLineAndCharacterOfPosition(pos).line + 1, text, end });
  }
  return comments;
}

/** The text of a comment without its marks, a paragraph on one line. */
function bare(comment: string): string {
  return comment
    .replace(/^\/\*+|\*\/$/g, '')
    .replace(/^[ \t]*(?:\*|\/\/) ?/gm, '')
    .replace(/\n(?!\s*(?:\n|- ))/g, ' ');
}

/**
 * Lists the texts of a file that look like messages: not SQL, not code. A value inside a text counts as one
 * word.
 */
function messagesOf(file: ts.SourceFile): Passage[] {
  const messages: Passage[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined && isMessage(text))
      messages.push({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, text });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return messages;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => `X${literal.text}`)].join('');
}

function isMessage(text: string): boolean {
  const isSql =
    /\b(select|insert into|update|delete from|create|alter|with|set|grant|from|where|values)\b[^.]*[(=*;$]/.test(
      text,
    ) || /^\s*select [\w.]+ as \w+ from /.test(text);
  return !isSql && text.split(/\s+/).length >= LEAST_WORDS;
}
