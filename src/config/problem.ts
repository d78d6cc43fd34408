import type { CodeOf } from '../error-codes/error-codes.ts';
import { UsageError, withCode } from '../errors.ts';

/** What is wrong with one option. */
export interface Problem {
  readonly code: CodeOf<'config'>;
  /** One line: the option, and what is wrong with it. */
  readonly text: string;
}

/**
 * The error that lists all problems of a configuration. It has their code if all have the same; else each line names its own.
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
