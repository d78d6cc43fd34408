import { cutColumns, widthOf } from './text-width.ts';

/** How much further in the second line of a sentence begins. */
const HANGING = '  ';
/** Scripts that write no blanks between words: a line may end after each character. */
const IDEOGRAPHS = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}';
const pieces = new RegExp(`[${IDEOGRAPHS}]\\p{P}*|[^${IDEOGRAPHS}]+`, 'gu');
/** A word. A command in quotes or brackets counts as one word: people copy it. */
const words = /["(]plantsync [^")]+\S+|\S+/g;
/** A sentence that ends with a command. */
const commandAtEnd = /^(.*:) (plantsync \S.*)$/;

interface Piece {
  readonly text: string;
  /** Whether a blank separates it from the piece before. */
  readonly isApart: boolean;
}

function splitWords(text: string, pattern: RegExp): Piece[] {
  return (text.match(pattern) ?? []).flatMap((word) =>
    (word.match(pieces) ?? []).map((piece, k) => ({ text: piece, isApart: k === 0 })),
  );
}

/**
 * Wraps one line of text at words, with the later lines further in. A word that is too long stays whole. So
 * does a command at the end of the text, since a line break would spoil its copy.
 */
export function wrapText(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line];
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  const next = indent + HANGING;
  const [, sentence, command] = commandAtEnd.exec(line) ?? [];
  if (sentence !== undefined && command !== undefined)
    return [...wrapText(sentence, columns), next + command];
  const lines: string[] = [];
  let open = indent;
  for (const { text, isApart } of splitWords(line, words)) {
    const isFirst = open.trim() === '';
    const longer = open + (isApart && !isFirst ? ' ' : '') + text;
    if (isFirst || widthOf(longer) <= columns) open = longer;
    else {
      lines.push(open);
      open = next + text;
    }
  }
  return [...lines, open];
}

/** Wraps a text into lines of at most this many columns. A word that is longer than that is divided. */
export function wrapCell(text: string, columns: number): string[] {
  if (widthOf(text) <= columns) return [text];
  const lines: string[] = [];
  let open = '';
  for (const piece of splitWords(text, /\S+/g)) {
    const longer = open + (piece.isApart && open !== '' ? ' ' : '') + piece.text;
    if (widthOf(longer) <= columns) {
      open = longer;
      continue;
    }
    if (open !== '') lines.push(open);
    open = piece.text;
    while (widthOf(open) > columns) {
      // A character that is wider than the column stays whole.
      const part = cutColumns(open, columns) || [...open].slice(0, 1).join('');
      lines.push(part);
      open = open.slice(part.length);
    }
  }
  return open === '' ? lines : [...lines, open];
}
