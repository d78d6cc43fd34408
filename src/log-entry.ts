import stringWidth from 'string-width';
import { showControls, showOnOneLine } from './shown-text.ts';

/** An entry of the log. All other members are facts about the message. */
export interface LogEntry {
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly level: string;
  readonly msg?: string;
  /** Entries of the same kind that were held back since `since`. */
  readonly repeated?: number;
  readonly [fact: string]: unknown;
}

/** How text for people looks. */
export interface TextLook {
  readonly colors: boolean;
  /** The columns of the terminal. Undefined where lines may be of any length. */
  readonly columns: () => number | undefined;
}

/** Codes of a terminal that switch a colour on. The number 0 switches all off. */
const GREY = 90;
const levelColors: Readonly<Record<string, number>> = {
  trace: GREY,
  debug: GREY,
  info: 32,
  warn: 33,
  error: 31,
};
const LEVEL_WIDTH = 5;
/** The indentation of all lines of an entry after its first line. */
const INDENT = '    ';
/** A terminal that is narrower breaks the lines itself. */
const LEAST_COLUMNS = 40;
/** Matches a text that can stand in `key=value` without quotes. */
const BARE = /^[^\s"'=,;]+$/u;

/** Renders an entry as a line of JSON: time, level and message first, then the facts. */
export function renderJson({ time, level, msg, ...facts }: LogEntry): string {
  return `${showControls(JSON.stringify({ time, level, msg, ...facts }))}\n`;
}

/**
 * Renders an entry as text for people: time, level, message, then the facts as `key=value`. Further lines of
 * a message, and the stack of an error, are indented below.
 */
export function renderText(entry: LogEntry, { colors, columns }: TextLook): string {
  const { time, level, msg = '', repeated, since, err, ...facts } = entry;
  const paint = (text: string, color: number | undefined) =>
    colors && color !== undefined && text !== '' ? `\u001b[${color}m${text}\u001b[0m` : text;
  const [first = '', ...further] = showControls(msg).split('\n');
  const head = [
    paint(toSecond(time), GREY),
    paint(showOnOneLine(level).toUpperCase().padEnd(LEVEL_WIDTH), levelColors[level]),
    first,
    ...(repeated === undefined ? [] : [`(said ${repeated} more since ${toTimeOfDay(since)})`]),
    ...listFacts(facts).map((fact, k) => (k === 0 ? ' ' : '') + paint(fact, GREY)),
  ];
  const below = [...further, ...linesOfError(err)].map((line) => INDENT + line.replaceAll('\t', INDENT));
  return [...wrap(head.join(' '), columns()), ...below].map((line) => `${line}\n`).join('');
}

function toSecond(time: string): string {
  return `${showOnOneLine(time).slice(0, 19)}Z`;
}

function toTimeOfDay(time: unknown): string {
  return toSecond(String(time)).slice(11);
}

function listFacts(facts: object): string[] {
  return Object.entries(facts).map(([name, value]) => `${showOnOneLine(name)}=${showValue(value)}`);
}

function showValue(value: unknown): string {
  if (typeof value === 'string' && BARE.test(value)) return showOnOneLine(value);
  // People read three digits after the point. JSON has all of them.
  if (typeof value === 'number' && Math.abs(value) >= 1) return String(Math.round(value * 1000) / 1000);
  return showOnOneLine(JSON.stringify(value));
}

/** Lists the lines that show an error: its stack, or what else is known of it. */
function linesOfError(error: unknown): string[] {
  if (error === undefined) return [];
  const isObject = typeof error === 'object' && error !== null;
  const { stack, ...facts } = isObject ? (error as Record<string, unknown>) : { error };
  const known = stack === undefined ? listFacts(facts).join(' ') : String(stack);
  return showControls(known).split('\n');
}

/** Breaks a line between words, so that it fits into the columns. Later lines are indented. */
function wrap(line: string, columns: number | undefined): string[] {
  if (columns === undefined || columns < LEAST_COLUMNS || stringWidth(line) < columns) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    // The last column stays free: some terminals break the line as soon as it is written.
    const isTooLong = current.trim() !== '' && stringWidth(longer) >= columns;
    if (isTooLong) lines.push(current);
    current = isTooLong ? INDENT + word : longer;
  }
  return [...lines, current];
}
