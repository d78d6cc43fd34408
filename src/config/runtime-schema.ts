import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import { aggregateSchema } from './aggregate-schema.ts';
import { parseDuration } from './duration.ts';
import { boolean, duration, oneOf, text } from './fields.ts';
import { oneSchedule, oneScheduleProblem, resolveSchedule, scheduleKeys, switchable } from './schedule.ts';

const CURRENT_FALLBACK = '10s';
const current = switchable(
  z
    .strictObject({
      ...scheduleKeys(CURRENT_FALLBACK, 'poll current values'),
      onlyChanges: boolean()
        .prefault(false)
        .describe('Whether to keep only values that differ from those of the poll before.'),
    })
    .refine(oneSchedule, oneScheduleProblem)
    .transform((keys) => ({
      enabled: keys.enabled,
      schedule: resolveSchedule(keys, CURRENT_FALLBACK),
      onlyChanges: keys.onlyChanges,
    })),
).prefault({});

const SWEEP_FALLBACK = '1d';
/** The options of the sweep, which reads a longer range again on a schedule. */
export const sweep = switchable(
  z
    .strictObject({
      ...scheduleKeys(SWEEP_FALLBACK, 'read a longer range again'),
      range: duration(1_000).prefault('7d').describe('How far back the sweep reads.'),
    })
    .refine(oneSchedule, oneScheduleProblem)
    .transform((keys) => ({
      enabled: keys.enabled,
      rangeMs: keys.range,
      schedule: resolveSchedule(keys, SWEEP_FALLBACK),
    })),
).prefault({});

const VERIFY_FALLBACK = '1d';
/** The options of the verification, which compares the stores with the platform on a schedule. */
const verify = switchable(
  z
    .strictObject({
      ...scheduleKeys(VERIFY_FALLBACK, 'compare the stores with the platform'),
      enabled: boolean()
        .prefault(false)
        .describe('Whether to compare the stores with the platform; every point is then read twice.'),
      range: duration(1_000).prefault('1d').describe('How far back the comparison reads.'),
      repair: boolean().prefault(true).describe('Whether to set right what differs.'),
    })
    .refine(oneSchedule, oneScheduleProblem)
    .transform((keys) => ({
      enabled: keys.enabled,
      rangeMs: keys.range,
      repair: keys.repair,
      schedule: resolveSchedule(keys, VERIFY_FALLBACK),
    })),
).prefault({});

/** The start of history: so far back from now, or an instant (epoch microseconds). */
export type HistoryStart = { readonly backMs: number } | { readonly at: number };

const HISTORY_FALLBACK = '1m';
const history = switchable(
  z
    .strictObject({
      ...scheduleKeys(HISTORY_FALLBACK, 'read what is new in history'),
      start: historyStart(),
      lookback: duration()
        .prefault('1h')
        .describe('Range before the newest data that is read again for late points.'),
      settle: duration().prefault('10s').describe('Age that data must have before it is read for good.'),
      sweep: sweep.describe('Reads a longer range again, for very late points.'),
      verify: verify.describe('Reads a range again and compares it with the stores.'),
      raw: boolean()
        .prefault(true)
        .describe('Whether to read the values themselves; false with aggregate only.'),
      aggregate: aggregateSchema
        .optional()
        .describe('Aggregates that the platform computes of history, to be read too.'),
    })
    .refine(oneSchedule, oneScheduleProblem)
    .refine(({ enabled, raw, aggregate }) => !enabled || raw || aggregate !== undefined, {
      path: ['raw'],
      error: 'nothing would be read: set it to true, give aggregate, or write "history: off"',
    })
    .transform((keys) => ({
      enabled: keys.enabled,
      schedule: resolveSchedule(keys, HISTORY_FALLBACK),
      start: keys.start,
      lookbackMs: keys.lookback,
      settleMs: keys.settle,
      sweep: keys.sweep,
      verify: keys.verify,
      raw: keys.raw,
      aggregate: keys.aggregate,
    })),
).prefault({});

/** Accepts the start of history: a duration back from now, or an instant. The default is 30 days back. */
export function historyStart() {
  return text()
    .transform((value, context): HistoryStart => {
      const start = parseStart(value);
      if (start === undefined)
        context.addIssue(
          `"${value}" is neither a duration such as 30d nor a time such as 2024-05-01T00:00:00Z`,
        );
      return start ?? z.NEVER;
    })
    .prefault('30d')
    .describe('Start of history: a duration back from now, or an instant.');
}

function parseStart(value: string): HistoryStart | undefined {
  const backMs = parseDuration(value);
  if (backMs !== undefined) return { backMs };
  try {
    return { at: Number(Temporal.Instant.from(value).epochNanoseconds / 1000n) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What is read of the runtime data. A property takes the first selection that matches it. */
export const runtimeSchema = z
  .array(
    z.strictObject({
      objects: text().prefault('*').describe('Glob of object names.'),
      properties: text().prefault('*').describe('Glob of property names.'),
      recorded: oneOf(['only', 'any'])
        .prefault('only')
        .describe(
          'Properties that patterns select: only those that the platform records (persisted or logged), or any.',
        ),
      current: current.describe('Polling of current values.'),
      history: history.describe('Filling of history.'),
    }),
    { error: 'must be a list of selections' },
  )
  .prefault([{}]);
