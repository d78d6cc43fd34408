/** Stream name of polled values. */
export const CURRENT = 'current';
/** Kind of the rejects that count polls that are lost. */
export const LOST_POLLS = 'poll';
/** Stream name of alarms: their runs, rejects and coverage. */
export const ALARMS = 'alarms';
