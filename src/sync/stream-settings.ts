import type { Config } from '../config/config-schema.ts';
import type { FilterValue } from '../config/streams-schema.ts';
import { baseOf, recordsOf, type Stream } from '../streams/define.ts';
import { streams } from '../streams/index.ts';

/** What the configuration says of one stream, as the stories use it. */
export interface StreamSettings {
  readonly enabled: boolean;
  /** Query parameters of every request: those of the declaration and the filters that are set. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Leaves of the records that came those that the filters select that are not sent. */
  readonly select: (records: readonly unknown[]) => readonly unknown[];
  /** The filters that leave entries out, as JSON text with sorted names; null where the whole list is read. */
  readonly filter: string | null;
  readonly keepRaw: boolean;
  /** Milliseconds after which details are read again though nothing seems to have changed; of details streams only. */
  readonly everyMs?: number;
}

/** The settings of a stream; details take theirs from the stream whose rows they complete. */
export function settingsOf(config: Config, stream: Stream): StreamSettings {
  const settings = config.streams[baseOf(stream).name];
  const { enabled = false, keepRaw = false, filter = {}, details } = settings ?? {};
  if (stream.updates)
    return {
      enabled: enabled && details?.enabled === true,
      query: { ...stream.query },
      select: (records) => records,
      filter: null,
      keepRaw,
      everyMs: details?.everyMs ?? Number.POSITIVE_INFINITY,
    };
  return {
    enabled,
    ...applyFilters(stream, filter),
    filter: narrowingFilter(stream, filter),
    keepRaw,
  };
}

function applyFilters(
  stream: Stream,
  set: Readonly<Record<string, FilterValue>>,
): Pick<StreamSettings, 'query' | 'select'> {
  const all = Object.entries(set).map(([name, value]) => ({ name, value, ...stream.filters?.[name] }));
  const sent = all.filter(({ select }) => select === undefined);
  return {
    query: { ...stream.query, ...Object.fromEntries(sent.map(({ name, value }) => [name, value])) },
    select: (records) =>
      all.reduce((left, { value, select }) => (select === undefined ? left : select(left, value)), records),
  };
}

function narrowingFilter(stream: Stream, set: Readonly<Record<string, unknown>>): string | null {
  const narrowing = Object.entries(set)
    .filter(([name, value]) => value !== undefined && stream.filters?.[name]?.narrows !== false)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return narrowing.length === 0 ? null : JSON.stringify(Object.fromEntries(narrowing));
}

/** The stream that completes the rows of another with details, if there is one. */
export function detailsOf(stream: Stream): Stream | undefined {
  return streams.find((other) => other.updates && other.parent?.stream === stream);
}

/** The stream whose operation tells whether one row of this stream is still there: one request per row that is not a list. */
export function askerOf(stream: Stream): Stream | undefined {
  return streams.find((other) => recordsOf(other) !== undefined && other.parent?.stream === stream);
}
