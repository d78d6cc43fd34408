import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StoreKinds } from '../load/stores/store-kind.ts';
import type { Redact } from '../redact.ts';
import { showControls, showOnOneLine } from '../shown-text.ts';
import { layOut, wrapLines } from './output/lay-out.ts';
import { writeAbove } from './output/live-lines.ts';
import type { Line } from './output/table.ts';
import { columnsOf } from './output/terminal-width.ts';
import { cutColumns } from './output/text-width.ts';

/** The streams, environment and signal that a command gets from the process, and the kinds of stores. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  /** Is aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** The kinds of stores that there are; those of the product if not given. */
  readonly storeKinds?: StoreKinds | undefined;
}

/** The options that every command takes. */
export interface CommonOptions {
  readonly config?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly logFormat?: string | undefined;
  /** False for `--no-color`. */
  readonly color?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Does the work of one command. Resolves to the exit code. */
export type Work = () => Promise<number>;

/** Runs the work of the given command, and keeps its exit code. */
export type Runner = (work: Work) => Promise<void>;

/** The redactors of commands, which remove the secrets of the configuration from messages. */
const redactors = new WeakMap<Io, Redact>();

/** Lets `redact` remove secrets from all further messages of this command. */
export function hideSecrets(io: Io, redact: Redact): void {
  redactors.set(io, redact);
}

/** Removes the known secrets from a text. */
export function withoutSecrets(io: Io, text: string): string {
  return redactors.get(io)?.(text) ?? text;
}

/** Prints one JSON document, or the sentences and tables for people, as wide as the terminal is. */
export function print(
  io: Io,
  options: CommonOptions,
  output: { json: unknown; lines: () => readonly Line[] },
): void {
  const text = options.json
    ? JSON.stringify(output.json, writeBigInts, 2)
    : layOut(output.lines(), columnsOf(io.stdout)).join('\n');
  if (text !== '') printText(io, `${text}\n`);
}

/**
 * Prints a text, with the characters escaped that would control a terminal. Only `printText` and `say` write
 * for people.
 */
export function printText(io: Io, text: string): void {
  showFleeting(io, '');
  const write = () => io.stdout.write(showControls(text));
  if (io.stdout.isTTY) writeAbove(io.stderr, write);
  else write();
}

/**
 * Prints data of any size, and waits where the reader is slow. On a terminal its control characters are
 * escaped as `printText` does; a file or another program gets the data as it is.
 */
export async function printData(io: Io, chunks: AsyncIterable<string>): Promise<void> {
  showFleeting(io, '');
  const isTerminal = io.stdout.isTTY === true;
  const shown = async function* () {
    for await (const chunk of chunks) yield isTerminal ? showControls(chunk) : chunk;
  };
  await pipeline(Readable.from(shown()), io.stdout, { end: false, signal: io.signal });
}

/** Prints a text on stderr as `printText` does: progress and failures. Sentences are wrapped. */
export function say(io: Io, text: string): void {
  showFleeting(io, '');
  writeAbove(io.stderr, () => io.stderr.write(wrapLines(text, columnsOf(io.stderr)).join('\n')));
}

/** Prints sentences and tables on stderr, as wide as the terminal. For commands whose stdout takes data. */
export function sayLines(io: Io, lines: readonly Line[]): void {
  say(io, `${layOut(lines, columnsOf(io.stderr)).join('\n')}\n`);
}

/** The terminals whose last line is fleeting. */
const fleeting = new WeakSet<NodeJS.WriteStream>();
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows a line on the terminal, until the next output replaces it. An empty text only takes away the line
 * before. Shows nothing where stderr is no terminal.
 */
export function showFleeting({ stderr }: Pick<Io, 'stderr'>, text: string): void {
  if (!stderr.isTTY || (text === '' && !fleeting.has(stderr))) return;
  // The last column stays free: some terminals wrap as soon as it is written.
  stderr.write(CLEAR_LINE + cutColumns(showOnOneLine(text), columnsOf(stderr) - 1));
  if (text === '') fleeting.delete(stderr);
  else fleeting.add(stderr);
}

function writeBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
