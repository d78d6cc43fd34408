import type { CodeOf } from '../error-codes/error-codes.ts';
import { UsageError, withCode } from '../errors.ts';

/** The most problems of a message. One mistake may lead to thousands of problems, which nobody would read. */
const MAX_PROBLEMS = 500;

/** Returns the first problems. If there are more, adds a text with the number of the others. */
export function shorten<T>(problems: readonly T[], most = MAX_PROBLEMS): readonly (T | string)[] {
  const more = problems.length - most;
  return more > 0 ? [...problems.slice(0, most), `and ${more} more`] : problems;
}

/** The problem of one option. */
export interface Problem {
  /** Undefined for the line that counts the problems that are not listed. */
  readonly code: CodeOf<'config'> | undefined;
  /** The option and its problem, in one line. */
  readonly text: string;
}

/** Describes the first items. If there are more, the last problem counts the others. */
export function describeFirst<T extends object>(
  items: readonly T[],
  describe: (item: T) => Problem,
): Problem[] {
  return shorten(items).map((item) =>
    typeof item === 'string' ? { code: undefined, text: item } : describe(item),
  );
}

/**
 * Makes the error that lists all problems of a configuration. If all problems have one code, the error has it
 * too. Else each line names the code of its own problem.
 */
export function configError(message: string, problems: readonly Problem[]): UsageError {
  const [first, ...others] = new Set(problems.flatMap(({ code }) => code ?? []));
  if (first !== undefined && others.length === 0)
    return new UsageError(
      first,
      message,
      problems.map(({ text }) => text),
    );
  return new UsageError(
    'config.several',
    message,
    problems.map(({ code, text }) => (code === undefined ? text : withCode(code, text))),
  );
}
