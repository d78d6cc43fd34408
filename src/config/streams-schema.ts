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

/** What is read of one kind of thing, how, and when. */
export interface StreamOptions {
  readonly enabled: boolean;
  readonly schedule: Schedule;
  /** Query parameters of the list, in the order of their declaration; those that are not set are not in it. */
  readonly filter: Readonly<Record<string, FilterValue>>;
  /** Whether the rows keep the records as they came. */
  readonly keepRaw: boolean;
  /** Present exactly for streams whose rows can be read one by one. */
  readonly details?: { readonly enabled: boolean; readonly everyMs: number };
}

const SCAN_FALLBACK = '1h';
const NO_FILTER = 'leave it out for no filter';

const keepRaw = boolean()
  .prefault(false)
  .describe('Whether the rows keep the records as they came, in the columns raw and detail_raw.');

const details = switchable(
  z
    .strictObject({
      enabled: boolean()
        .prefault(true)
        .describe('Whether to read each entry by itself; "off" in place of the whole map does the same.'),
      every: duration(1_000)
        .prefault('1d')
        .describe('Age at which an entry is read by itself again; one that has changed is read at once.'),
    })
    .transform((keys) => ({ enabled: keys.enabled, everyMs: keys.every })),
)
  .prefault({})
  .describe('What the platform tells only of one entry at a time.');

/** The snapshot streams by name; the settings of a details stream are those of the stream that it completes. */
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

/** The keys of a stream as they are checked; not every stream has the optional ones. */
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
