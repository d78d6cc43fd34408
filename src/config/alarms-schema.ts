import { z } from 'zod';
import { duration, integer, text } from './fields.ts';
import { historyStart, sweep } from './runtime-schema.ts';
import { oneSchedule, oneScheduleProblem, resolveSchedule, scheduleKeys, switchable } from './schedule.ts';

const CURRENT_FALLBACK = '10s';
const current = switchable(
  z
    .strictObject({
      ...scheduleKeys(CURRENT_FALLBACK, 'poll current alarms'),
      keyword: text('leave it out for no filter')
        .optional()
        .describe('Only current alarms with this text in the name of their object or property.'),
    })
    .refine(oneSchedule, oneScheduleProblem)
    .transform(({ every, cron, ...rest }) => ({
      ...rest,
      schedule: resolveSchedule({ every, cron }, CURRENT_FALLBACK),
    })),
).prefault({});

const HISTORY_FALLBACK = '1m';
const history = switchable(
  z
    .strictObject({
      ...scheduleKeys(HISTORY_FALLBACK, 'read what is new in the alarm history'),
      start: historyStart(),
      lookback: duration()
        .prefault('1h')
        .describe('Range before the newest alarms that is read again for late alarms.'),
      settle: duration().prefault('10s').describe('Age that alarms must have before they are read for good.'),
      sweep: sweep.describe('Reads a longer range again, for alarms that came very late.'),
      keyword: text('leave it out for no filter')
        .optional()
        .describe('Only the history of alarms with this text in their name or description.'),
    })
    .refine(oneSchedule, oneScheduleProblem)
    .transform(({ every, cron, lookback, settle, ...rest }) => ({
      ...rest,
      schedule: resolveSchedule({ every, cron }, HISTORY_FALLBACK),
      lookbackMs: lookback,
      settleMs: settle,
    })),
).prefault({});

/**
 * Accepts a priority or a list of priorities. The result is a list in ascending order, without duplicates.
 */
function priorities() {
  const one = integer(1, 10);
  return z
    .union([one, z.array(one).min(1)], {
      error: 'is neither a whole number from 1 to 10 nor a list of such numbers',
    })
    .transform((value): readonly number[] => [...new Set([value].flat())].sort((a, b) => a - b));
}

/** What is read of the alarms, and how. */
export const alarmsSchema = z
  .strictObject({
    current: current.describe('Polling of current alarms.'),
    history: history.describe('Filling of the alarm history.'),
    followUp: duration(1_000)
      .prefault('30d')
      .describe('How long open or unacknowledged alarms are looked up in the history again.'),
    filter: z
      .strictObject({
        priority: priorities()
          .optional()
          .describe('Only alarms of these priorities, 1 to 10; each priority needs a request of its own.'),
      })
      .prefault({})
      .describe('Which alarms are read.'),
  })
  .transform(({ followUp, ...rest }) => ({ ...rest, followUpMs: followUp }))
  .prefault({});
