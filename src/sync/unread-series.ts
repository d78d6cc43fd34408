import type { Cause } from './brief-reason.ts';
import { type Clock, formatCount } from './count-text.ts';

/** Series whose history could not be read for the same reason. */
export interface UnreadSeries {
  /** The name of one of them. */
  readonly series: string;
  /** How many others there are. */
  readonly others: number;
  readonly cause: Cause;
  /** Until when they are left out, in ISO 8601. */
  readonly asideUntil?: string | undefined;
}

/** Says which series could not be read, and until when they are left out. */
export function sayUnread({ series, others, cause, asideUntil }: UnreadSeries, clock: Clock): string {
  const names = others > 0 ? `${series} and ${formatCount(others)} other series` : series;
  if (asideUntil === undefined) return `${names} cannot be read: ${cause.text}`;
  const be = others > 0 ? 'are' : 'is';
  return `${names} cannot be read, and ${be} set aside until ${clock(asideUntil)}: ${cause.text}`;
}
