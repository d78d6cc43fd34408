import { ExitCode, InterruptedError, messageOf, PlantsyncError, UsageError } from '../errors.ts';
import type { Io } from './io.ts';
import { buildProgram, isCommanderError } from './program.ts';

/**
 * Runs the command line and resolves to the exit code. Whatever goes wrong ends as one clear sentence on stderr, or with
 * `--json` as an object on stdout.
 */
export async function runCommandLine(io: Io, args: readonly string[]): Promise<number> {
  let exitCode: number = ExitCode.done;
  const program = buildProgram(io, async (work) => {
    exitCode = await work();
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (isCommanderError(error) && error.exitCode === 0) return ExitCode.done;
    return reportError(io, args, asKnown(io, error));
  }
}

/** The error as one of ours, for its exit code. */
function asKnown(io: Io, error: unknown): Error {
  if (isCommanderError(error))
    return new UsageError(error.message.replace(/^error: /, '').replace(/\n\(/g, ' ('));
  if (io.signal.aborted && !(error instanceof InterruptedError))
    return new InterruptedError('interrupted; the same command goes on from here');
  return error instanceof Error ? error : new Error(String(error));
}

function reportError(io: Io, args: readonly string[], error: Error): number {
  const exitCode = error instanceof PlantsyncError ? error.exitCode : ExitCode.failed;
  const problems = error instanceof UsageError ? error.problems : [];
  if (args.includes('--json')) {
    const shown = { name: error.name, message: messageOf(error), problems, exitCode };
    io.stdout.write(`${JSON.stringify({ error: shown })}\n`);
  } else io.stderr.write(`plantsync: ${messageOf(error)}\n`);
  // A fault of the program itself: where it happened is what a report needs.
  if (!(error instanceof PlantsyncError) && error.stack !== undefined) io.stderr.write(`${error.stack}\n`);
  return exitCode;
}
