import type { Redact } from '../redact.ts';
import { showControls } from '../shown-text.ts';

/** What a command has of the process. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
}

/** Options that every command takes. */
export interface CommonOptions {
  readonly config?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly json?: boolean | undefined;
}

/** Does the work of one command; resolves to the exit code. */
export type Work = () => Promise<number>;

/** Runs the work of the command that was given, and keeps its exit code. */
export type Runner = (work: Work) => Promise<void>;

/** What takes the secrets of its configuration out of what a command says of failures. */
const redactors = new WeakMap<Io, Redact>();

/** From now on no message of this command tells a secret that `redact` knows. */
export function hideSecrets(io: Io, redact: Redact): void {
  redactors.set(io, redact);
}

/** Takes the known secrets out of a text. */
export function withoutSecrets(io: Io, text: string): string {
  return redactors.get(io)?.(text) ?? text;
}

/** Prints one JSON document, or the lines for people. */
export function print(
  io: Io,
  options: CommonOptions,
  output: { json: unknown; lines: () => readonly string[] },
): void {
  const text = options.json ? JSON.stringify(output.json, writeBigInts, 2) : output.lines().join('\n');
  if (text !== '') printText(io, `${text}\n`);
}

/**
 * Prints a text as it is, but for what would steer a terminal. With `say` the only place that writes for
 * people.
 */
export function printText(io: Io, text: string): void {
  io.stdout.write(showControls(text));
}

/** Says a text on stderr, as `printText` does: what goes on, and what failed. */
export function say(io: Io, text: string): void {
  io.stderr.write(showControls(text));
}

function writeBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
