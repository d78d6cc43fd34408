import { z } from 'zod';
import { aggregateFunctions } from '../series/history-stream.ts';
import { duration, oneOf } from './fields.ts';

const DAY_MS = 86_400_000;

/**
 * Accepts the length of a bucket. A day must hold a whole number of buckets. Then the buckets begin at the
 * same times, from whichever instant a platform begins to count.
 */
const period = () =>
  duration(1_000).superRefine((ms, context) => {
    if (ms % 1_000 !== 0 || DAY_MS % ms !== 0)
      context.addIssue(
        `${ms / 1_000} s do not divide a day into equal buckets: take whole seconds such as 10s, 1m, 5m, 15m, 1h, 6h or 1d`,
      );
  });

const functions = () => {
  const list = z
    .array(oneOf(aggregateFunctions), {
      error: `must be a list of ${aggregateFunctions.join(', ')}, or one of them`,
    })
    .min(1, { error: `empty: name some of ${aggregateFunctions.join(', ')}` });
  return z.preprocess((value) => (typeof value === 'string' ? value.split(/\s*,\s*/) : value), list);
};

/** The aggregates that the platform computes of history: for each function, over buckets of equal length. */
export const aggregateSchema = z
  .strictObject({
    period: period().describe('Length of a bucket; a day must hold a whole number of them.'),
    functions: functions()
      .prefault(['mean'])
      .describe(`What to compute of each bucket: ${aggregateFunctions.join(', ')}.`),
  })
  .transform((keys) => ({ periodSec: keys.period / 1_000, functions: [...new Set(keys.functions)] }));
