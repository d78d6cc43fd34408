import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import { parseDuration } from './duration.ts';
import { boolean, duration, isBooleanLike, text } from './fields.ts';
import { isTree } from './tree.ts';

/** When something runs: at a fixed distance, or by a cron expression in `schedule.timezone`. */
export type Schedule = { readonly everyMs: number } | { readonly cron: string };

/** The keys of something that runs by itself; `fallback` is the distance that applies with neither `every` nor `cron`. */
export function scheduleKeys(fallback: string, about: string) {
  return {
    enabled: boolean()
      .prefault(true)
      .describe(`Whether to ${about}; "off" in place of the whole map does the same.`),
    every: duration(1_000)
      .optional()
      .meta({ description: `How often to ${about}.`, fallback }),
    cron: cronExpression().optional().describe('Cron expression in schedule.timezone, in place of every.'),
  };
}

/** The schedule that the keys of `scheduleKeys` mean. */
export function resolveSchedule(
  keys: { every?: number | undefined; cron?: string | undefined },
  fallback: string,
): Schedule {
  if (keys.cron !== undefined) return { cron: keys.cron };
  return { everyMs: keys.every ?? parseDuration(fallback) ?? Number.NaN };
}

/** Accepts a plain boolean for a map with `enabled`, and refuses `every` beside `cron`. */
export function switchable<T extends z.ZodType<object, object>>(map: T) {
  const expand = (value: unknown) => (isBooleanLike(value) ? { enabled: value } : value);
  return z.preprocess(expand, map);
}

/** For `.refine` on a map with the keys of `scheduleKeys`; it speaks up also when other keys are wrong. */
export const oneSchedule = (keys: { every?: unknown; cron?: unknown }) =>
  keys.every === undefined || keys.cron === undefined;
export const oneScheduleProblem = {
  path: ['cron'],
  error: 'give either every or cron, not both',
  when: ({ value }: { value: unknown }) => isTree(value),
};

/** A cron expression that fires at least once. */
function cronExpression() {
  return text().superRefine((expression, context) => {
    const problem = findCronProblem(expression);
    if (problem !== undefined)
      context.addIssue(`"${expression}" is not a usable cron expression: ${problem}`);
  });
}

function findCronProblem(expression: string): string | undefined {
  // A hashed field takes another random value at every start, so it is no schedule.
  if (/(^|[\s,])H/.test(expression)) return 'H is not supported';
  const fields = expression.trim().split(/\s+/).length;
  if (!expression.startsWith('@') && fields !== 5 && fields !== 6)
    return `it has ${fields} fields in place of 5 or 6`;
  try {
    CronExpressionParser.parse(expression, { tz: 'UTC' }).next();
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    return /explicit day of month|out of the time ?span|loop/i.test(message) ? 'it never fires' : message;
  }
}
