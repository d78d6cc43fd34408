import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import { parseDuration } from './duration.ts';
import { boolean, duration, isBooleanLike, text } from './fields.ts';
import { isTree } from './tree.ts';

/** The times at which something runs: at a fixed distance, or by a cron expression in `schedule.timezone`. */
export type Schedule = { readonly everyMs: number } | { readonly cron: string };

/**
 * Returns the options of something that runs by itself. `fallback` is the distance that applies without
 * `every` and `cron`.
 */
export function scheduleKeys(fallback: string, about: string) {
  return {
    enabled: boolean()
      .prefault(true)
      .describe(`Whether to ${about}; "off" instead of the whole map does the same.`),
    every: duration(1_000)
      .optional()
      .meta({ description: `How often to ${about}.`, fallback }),
    cron: cronExpression().optional().describe('Cron expression in schedule.timezone, instead of every.'),
  };
}

/** Returns the schedule that the options of `scheduleKeys` mean. */
export function resolveSchedule(
  keys: { every?: number | undefined; cron?: string | undefined },
  fallback: string,
): Schedule {
  if (keys.cron !== undefined) return { cron: keys.cron };
  return { everyMs: keys.every ?? parseDuration(fallback) ?? Number.NaN };
}

/** Accepts a plain on or off instead of a map with `enabled`. */
export function switchable<T extends z.ZodType<object, object>>(map: T) {
  const expand = (value: unknown) => (isBooleanLike(value) ? { enabled: value } : value);
  return z.preprocess(expand, map);
}

/**
 * Checks that not both `every` and `cron` are given. Used with `.refine`, also when other options are wrong.
 */
export const oneSchedule = (keys: { every?: unknown; cron?: unknown }) =>
  keys.every === undefined || keys.cron === undefined;
export const oneScheduleProblem = {
  path: ['cron'],
  error: 'give either every or cron, not both',
  when: ({ value }: { value: unknown }) => isTree(value),
};

/** Accepts a cron expression that fires at least once. */
function cronExpression() {
  return text().superRefine((expression, context) => {
    const problem = findCronProblem(expression);
    if (problem !== undefined)
      context.addIssue(`"${expression}" is not a usable cron expression: ${problem}`);
  });
}

function findCronProblem(expression: string): string | undefined {
  // A hashed field would take another random value at every start.
  if (/(^|[\s,])H/.test(expression)) return 'H is not supported';
  const fields = expression.trim().split(/\s+/).length;
  if (!expression.startsWith('@') && fields !== 5 && fields !== 6)
    return `it has ${fields} fields instead of 5 or 6`;
  try {
    CronExpressionParser.parse(expression, { tz: 'UTC' }).next();
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    return /explicit day of month|out of the time ?span|loop/i.test(message) ? 'it never fires' : message;
  }
}
