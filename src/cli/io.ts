/** What a command has of the process. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  /** Aborted by SIGINT and SIGTERM. */
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

/** Prints one JSON document, or the lines for people. */
export function print(
  io: Io,
  options: CommonOptions,
  output: { json: unknown; lines: () => readonly string[] },
): void {
  const text = options.json ? JSON.stringify(output.json, writeBigInts, 2) : output.lines().join('\n');
  if (text !== '') io.stdout.write(`${text}\n`);
}

function writeBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
