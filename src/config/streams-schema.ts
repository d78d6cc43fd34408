import { z } from 'zod';
import type { Filter, Stream } from '../streams/define.ts';
import { streams } from '../streams/index.ts';
import { boolean, duration, text, texts } from './fields.ts';
import {
  oneSchedule,
  oneScheduleProblem,
  resolveSchedule,
  type Schedule,
  scheduleKeys,
  switchable,
} from './schedule.ts';

export type FilterValue = string | boolean | readonly string[];

/** What is read of one stream, how, and when. */
export interface StreamOptions {
  readonly enabled: boolean;
  readonly schedule: Schedule;
  /** The query parameters of the list that are set, in the order of their declaration. */
  readonly filter: Readonly<Record<string, FilterValue>>;
  /** Whether the rows keep the raw records. */
  readonly keepRaw: boolean;
  /** Present exactly for streams whose records can also be read one by one. */
  readonly details?: { readonly enabled: boolean; readonly everyMs: number };
}

const SCAN_FALLBACK = '1h';
const NO_FILTER = 'leave it out for no filter';

const keepRaw = boolean()
  .prefault(false)
  .describe('Whether rows keep the raw records, in the columns raw and detail_raw.');

const details = switchable(
  z
    .strictObject({
      enabled: boolean()
        .prefault(true)
        .describe('Whether to read each entry by itself; "off" instead of the whole map does the same.'),
      every: duration(1_000)
        .prefault('1d')
        .describe('Age at which the details of an entry are read again; a changed entry is read at once.'),
    })
    .transform((keys) => ({ enabled: keys.enabled, everyMs: keys.every })),
)
  .prefault({})
  .describe('What the platform tells only about one entry at a time.');

/** The streams by name. A stream of details has the options of the stream that it completes. */
export const streamsSchema = z.strictObject(
  Object.fromEntries(
    streams
      .filter((stream) => !stream.updates)
      .map((stream) => [stream.name, settingsOf(stream).describe(stream.about)]),
  ),
);

function settingsOf(stream: Stream) {
  const filters = Object.entries(stream.filters ?? {});
  const hasDetails = streams.some((other) => other.updates && other.parent?.stream === stream);
  const always = z.strictObject({ ...scheduleKeys(SCAN_FALLBACK, 'read it'), keepRaw });
  const withFilter = filters.length > 0 ? always.extend({ filter: filterMap(filters) }) : always;
  const keys = hasDetails ? withFilter.extend({ details }) : withFilter;
  return switchable(keys.refine(oneSchedule, oneScheduleProblem).transform(toSettings)).prefault({});
}

/** The checked options of a stream. Some streams do not have the optional ones. */
interface Keys extends Pick<StreamOptions, 'enabled' | 'keepRaw' | 'details'> {
  readonly every?: number | undefined;
  readonly cron?: string | undefined;
  readonly filter?: Readonly<Record<string, FilterValue | undefined>>;
}

function toSettings({ every, cron, filter = {}, ...rest }: Keys): StreamOptions {
  const isSet = (entry: [string, FilterValue | undefined]): entry is [string, FilterValue] =>
    entry[1] !== undefined;
  const set = Object.fromEntries(Object.entries(filter).filter(isSet));
  return { ...rest, schedule: resolveSchedule({ every, cron }, SCAN_FALLBACK), filter: set };
}

function filterMap(filters: readonly (readonly [name: string, filter: Filter])[]) {
  return z
    .strictObject(Object.fromEntries(filters.map(([name, filter]) => [name, filterField(filter)])))
    .prefault({})
    .describe('Which entries are read; a filter that is not set is not sent.');
}

function filterField({ kind, meaning, default: fallback }: Filter): z.ZodType<FilterValue | undefined> {
  const field: z.ZodType<FilterValue> = { text, texts, boolean }[kind](NO_FILTER);
  const optional = fallback === undefined ? field.optional() : field.prefault(fallback as never);
  return optional.describe(meaning);
}
