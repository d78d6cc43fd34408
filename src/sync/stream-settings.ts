import type { Config } from '../config/config-schema.ts';
import type { FilterValue } from '../config/streams-schema.ts';
import { baseOf, recordsOf, type Stream } from '../streams/define.ts';
import { streams } from '../streams/index.ts';

/** The settings that the configuration has for one stream. */
export interface StreamSettings {
  readonly enabled: boolean;
  /**
   * Query parameters of every request: those of the declaration, and the filters that are sent to the
   * platform.
   */
  readonly query: Readonly<Record<string, unknown>>;
  /**
   * Picks the records that the filters select. Only the filters that are not sent to the platform are
   * applied.
   */
  readonly select: (records: readonly unknown[]) => readonly unknown[];
  /** JSON text, with sorted names, of the filters that leave entries out. Null if the whole list is read. */
  readonly filter: string | null;
  readonly keepRaw: boolean;
  /**
   * Milliseconds after which details are read again although no change was seen. Only details have this
   * setting.
   */
  readonly everyMs?: number;
}

/** Returns the settings of a stream. Details take the settings of the stream whose rows they complete. */
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

/** Finds the stream whose details complete the rows of a stream. Returns undefined if there is none. */
export function detailsOf(stream: Stream): Stream | undefined {
  return streams.find((other) => other.updates && other.parent?.stream === stream);
}

/**
 * Finds the stream whose operation asks the platform for a single row of the given stream, not for a list.
 * Its answer tells whether the platform still has the row. Returns undefined if there is no such stream.
 */
export function askerOf(stream: Stream): Stream | undefined {
  return streams.find((other) => recordsOf(other) !== undefined && other.parent?.stream === stream);
}
