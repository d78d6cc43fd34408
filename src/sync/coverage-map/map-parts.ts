import { UsageError } from '../../errors.ts';
import type { PointStore } from '../../load/stores/store.ts';
import { nearest } from '../../nearest.ts';
import { parseHistoryStream, rawHistory } from '../../series/history-stream.ts';
import { type RangeSet, toRangeSet } from '../../series/range.ts';
import type { Series } from '../../series/types.ts';
import { ALARM_SERIES, historyName } from '../alarms/alarm-settings.ts';
import type { SyncContext } from '../context.ts';
import { clipByRetention } from '../retention.ts';
import { type HistorySettings, rangesOf } from '../selection/fill-order.ts';
import { seriesOf, streamsOf } from '../selection/history-streams.ts';
import { nameOfSelection, type SelectedSeries } from '../selection/series-catalog.ts';
import { ALARMS } from '../stream-names.ts';

/** A stream in a store, of which a map is made. */
export interface MapPlace {
  /** Identity of the store. */
  readonly store: string;
  /** Name of the stream: `history`, an aggregate such as `history/300s/mean`, or `alarms`. */
  readonly stream: string;
}

/** A place that exists. */
export interface OpenedPlace {
  readonly store: PointStore;
  readonly stream: string;
  /** Name of the stream in the ledger. */
  readonly ledgerName: string;
  readonly stepSec: number;
}

/** Series that want the same range of a place: those of one selection, or the alarms. */
export interface MapPart {
  /** The selection as `objects/properties`, or `alarms`. */
  readonly name: string;
  readonly series: readonly Series[];
  readonly settings: HistorySettings;
}

/** A stream that the configuration reads, and the stores that take it. */
export interface MapSource {
  readonly stream: string;
  readonly stores: readonly PointStore[];
}

/** Lists the streams with a history: raw values, aggregates, alarms. */
export function listSources(ctx: SyncContext): MapSource[] {
  const read = ctx.config.runtime.flatMap(({ history }) => streamsOf(history).map(({ name }) => name));
  const sources: MapSource[] = [...new Set(read)].map((stream) => ({ stream, stores: ctx.stores }));
  if (ctx.config.alarms.history.enabled) sources.push({ stream: ALARMS, stores: [ctx.postgresStore] });
  return sources;
}

/** Finds a place. Throws a `UsageError` if no such stream is read, or no such store takes it. */
export function openPlace(ctx: SyncContext, { store: id, stream }: MapPlace): OpenedPlace {
  const sources = listSources(ctx);
  const source = sources.find((each) => each.stream === stream);
  if (source === undefined) {
    const known = sources.map((each) => each.stream);
    throw new UsageError('usage.unknown_stream', `No history is read of ${stream}${hint(stream, known)}`);
  }
  const store = source.stores.find((each) => each.id === id);
  if (store === undefined) {
    const known = source.stores.map((each) => each.id);
    throw new UsageError('usage.unknown_store', `No store ${id} takes ${stream}${hint(id, known)}`);
  }
  const { stepSec } = parseHistoryStream(stream) ?? rawHistory;
  return { store, stream, stepSec, ledgerName: stream === ALARMS ? historyName(ctx.config) : stream };
}

function hint(word: string, known: readonly string[]): string {
  const guess = nearest(word, known);
  return guess === undefined ? `: known are ${known.join(', ')}` : `: did you mean ${guess}?`;
}

/** Lists the parts of a stream, with all their series. */
export function listParts(
  { config }: Pick<SyncContext, 'config'>,
  stream: string,
  selected: readonly SelectedSeries[],
): MapPart[] {
  if (stream === ALARMS) {
    const series = [{ id: ALARM_SERIES, object: ALARMS, property: '', primitiveType: null }];
    return [{ name: ALARMS, series, settings: config.alarms.history }];
  }
  return selected.flatMap(({ selection, series }) => {
    const own = streamsOf(selection.history).find(({ name }) => name === stream);
    if (own === undefined) return [];
    return [{ name: nameOfSelection(selection), series: seriesOf(own, series), settings: selection.history }];
  });
}

/**
 * Returns the range that the configuration wants of a part, in whole steps, as far as the store keeps it. It
 * is the range of `plantsync gaps` without a range.
 */
export function wantedOf(ctx: SyncContext, place: OpenedPlace, { settings }: MapPart): RangeSet {
  const { store, stream, stepSec } = place;
  const order = { mode: 'increment', again: 'none' } as const;
  const ranges = toRangeSet([rangesOf(ctx, order, { history: settings, stepSec }).wanted]);
  // Alarms are kept for ever.
  return stream === ALARMS ? ranges : clipByRetention(ctx, store, { ranges, stepSec });
}
