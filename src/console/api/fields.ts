import { z } from 'zod';
import type { Config } from '../../config/config-schema.ts';
import { parseTime, zoneOf } from '../../config/time-text.ts';
import { UsageError } from '../../errors.ts';
import { formatInstant } from '../../series/instant.ts';
import type { Range } from '../../series/types.ts';

/** Accepts a time in a query or body, as the commands do. `timeOf` turns the text into an instant. */
export const timeText = () =>
  z
    .string()
    .min(1)
    .describe('`now`, `-7d`, `2024-05-01` (midnight in the zone of the platform), or an ISO 8601 time.');

/**
 * Returns the instant of a text in epoch microseconds. Throws a `UsageError` that names the parameter if the
 * text is no time.
 */
export function timeOf(
  text: string,
  { name, config, now }: { name: string; config: Config; now: number },
): number {
  return parseTime(text, { option: name, zone: zoneOf(undefined, config), now });
}

/** Tells whether a text in the value holds a NUL, which no name has and no store takes. */
export function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsNul);
}

/** Returns the range of a query or body. Throws a `UsageError` if a time is none, or the range is empty. */
export function rangeOf(
  { config, clock }: { readonly config: Config; readonly clock: () => number },
  { from, to }: { readonly from: string; readonly to: string },
): Range {
  const at = { config, now: clock() };
  const range = { from: timeOf(from, { ...at, name: 'from' }), to: timeOf(to, { ...at, name: 'to' }) };
  if (range.from < range.to) return range;
  throw new UsageError('usage.wrong_time', `from ${from}: must be before to ${to}`);
}

/** A time in a reply: ISO 8601 in UTC. */
export const isoTime = () => z.string().describe('ISO 8601 in UTC.');

/** Formats epoch microseconds for a reply. Undefined stays undefined. */
export function isoOf(micros: number): string;
export function isoOf(micros: number | undefined): string | undefined;
export function isoOf(micros: number | undefined): string | undefined {
  return micros === undefined ? undefined : formatInstant(micros);
}

/** Accepts a whole number in a query. */
export const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** Accepts `true` or `false` in a query. */
export const flag = () =>
  z.union([z.boolean(), z.enum(['true', 'false'])]).transform((value) => value === true || value === 'true');

/** The number of items of a page of a list, if nobody asks for another. */
export const PAGE_ITEMS = 50;

/** The parameters of every list that comes in pages. */
export const paging = {
  limit: count(1, 500).default(PAGE_ITEMS).describe('Most items to return.'),
  after: z.string().optional().describe('The `next` of the page before.'),
};

/** A page of a list. `next` is missing on the last page. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next: z.string().optional().describe('Give it as `after`.') });
