import { ExitCode, InterruptedError } from '../errors.ts';
import { type Io, say } from './io.ts';

const OUTPUT_CLOSED = 'interrupted.output_closed';

/** The state of the output of a command. */
export interface Output {
  /**
   * Returns the exit code of a lost output, which wins over that of the command. Returns undefined while the
   * output works.
   */
  exitCode(): number | undefined;
}

/**
 * Ends the command in order when its output cannot be written any more, so that nothing of it stays behind.
 * The reader may have seen enough, as `head` has, which is no failure. A full disk is a failure, and is
 * reported in one sentence.
 */
export function watchOutput(io: Io, end: (reason: InterruptedError) => void): Output {
  let lost: number | undefined;
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (lost !== undefined) return;
    lost = error.code === 'EPIPE' ? ExitCode.done : ExitCode.failed;
    if (lost !== ExitCode.done)
      say(
        io,
        `plantsync [${OUTPUT_CLOSED}]: the output cannot be written (${error.code ?? error.message}); write it elsewhere\n`,
      );
    end(new InterruptedError(OUTPUT_CLOSED, 'nobody reads the output any more'));
  });
  // There is no other place to report it.
  io.stderr.on('error', () => undefined);
  return { exitCode: () => lost };
}
