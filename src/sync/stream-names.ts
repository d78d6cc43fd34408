/** Name of the stream of polled values. */
export const CURRENT = 'current';
/** Kind of the rejects that count lost polls. */
export const LOST_POLLS = 'poll';
/** Name of the stream of alarms, which their runs, rejects and coverage carry. */
export const ALARMS = 'alarms';
/** Name under which runs that keep the rollups are recorded. */
export const ROLLUPS = 'rollups';
