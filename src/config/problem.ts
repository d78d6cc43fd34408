import type { CodeOf } from '../error-codes/error-codes.ts';
import { UsageError, withCode } from '../errors.ts';

/** The problem of one option. */
export interface Problem {
  readonly code: CodeOf<'config'>;
  /** The option and its problem, in one line. */
  readonly text: string;
}

/**
 * Makes the error that lists all problems of a configuration. If all problems have one code, the error has it
 * too. Else each line names the code of its own problem.
 */
export function configError(message: string, problems: readonly Problem[]): UsageError {
  const [first, ...others] = new Set(problems.map(({ code }) => code));
  if (first !== undefined && others.length === 0)
    return new UsageError(
      first,
      message,
      problems.map(({ text }) => text),
    );
  return new UsageError(
    'config.several',
    message,
    problems.map(({ code, text }) => withCode(code, text)),
  );
}
