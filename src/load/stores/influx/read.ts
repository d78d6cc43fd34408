import { StoreError } from '../../../errors.ts';
import type { Series, SeriesPoints } from '../../../series/types.ts';
import type { Stretch } from '../store.ts';
import type { InfluxTarget } from './influx-options.ts';
import { encodeTag } from './line-protocol.ts';
import type { StreamPlace } from './measurements.ts';
import { type InfluxHttp, type InfluxPart, quoteIdentifier, quoteText } from './query-client.ts';

/** Where the points of one stream are. */
export interface InfluxPlace extends StreamPlace {
  readonly http: InfluxHttp;
  readonly target: InfluxTarget;
}

/** Fields of a point. */
export type Field = 'value' | 'text';

/**
 * Reads points back by InfluxQL over `/query`, which 1.x and 3.x have, and 2.x for databases that are mapped to buckets (those named
 * like the bucket are by themselves). Series of the same names with further tags are those of other writers, and left out. Of some
 * fields only, points that have none of them are not among the answer, and cost the server little.
 */
export async function* readInflux(
  place: InfluxPlace,
  { series, range }: Omit<Stretch, 'stream'>,
  fields: readonly Field[] = ['value', 'text'],
): AsyncGenerator<SeriesPoints> {
  const { http, target, measurement } = place;
  if (series.length === 0) return;
  const byTags = new Map(series.map((each) => [tagKey(each), each]));
  const { retentionPolicy } = target.options;
  const policy = retentionPolicy === undefined ? '' : `${quoteIdentifier(retentionPolicy)}.`;
  const statement = `SELECT ${fields.map(quoteIdentifier).join(', ')} FROM ${policy}${quoteIdentifier(measurement)} WHERE ${[
    `time >= ${range.from}u`,
    `time < ${range.to}u`,
    ...constantTags(place),
    `(${series.map((each) => seriesTags(each).join(' AND ')).join(' OR ')})`,
  ].join(' AND ')} GROUP BY *`;
  try {
    for await (const part of http.stream(statement)) {
      const own = byTags.get(JSON.stringify([part.tags.object, part.tags.property]));
      if (own !== undefined && isOurs(part, place)) yield pointsOf(own, part);
    }
  } catch (error) {
    throw withRemedy(error, target);
  }
}

/** Conditions that the tags of a series meet, encoded as they are stored. */
export function seriesTags({ object, property }: Series): string[] {
  return [tagIs('object', object), tagIs('property', property)];
}

/** Conditions for the constant tags; an empty one is not written. */
export function constantTags({ tags }: StreamPlace): string[] {
  return Object.entries(tags)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => tagIs(name, value));
}

function tagIs(name: string, value: string): string {
  return `${quoteIdentifier(name)} = ${quoteText(encodeTag(value))}`;
}

function tagKey({ object, property }: Series): string {
  return JSON.stringify([encodeTag(object), encodeTag(property)]);
}

function isOurs(part: InfluxPart, { tags }: StreamPlace): boolean {
  const known = new Set(['object', 'property', ...Object.keys(tags)]);
  return Object.entries(part.tags).every(([name, value]) => known.has(name) || value === '');
}

function pointsOf(series: Series, { columns, rows }: InfluxPart): SeriesPoints {
  const [time, value, text] = ['time', 'value', 'text'].map((name) => columns.indexOf(name));
  const column = <T>(at: number | undefined) => rows.map((row) => (row[at ?? -1] ?? null) as T);
  return {
    series,
    times: column<number>(time),
    values: column<number | null>(value),
    texts: column<string | null>(text),
    qualities: rows.map(() => null),
  };
}

function withRemedy(error: unknown, target: InfluxTarget): unknown {
  if (!(error instanceof StoreError) || target.options.version !== 2 || error.cause !== 404) return error;
  const { place } = target;
  return new StoreError(
    'influx.unmapped_bucket',
    `${error.message} Reading goes by InfluxQL: map a database named ${place} to the bucket (influx v1 dbrp create --db ${place} --rp autogen --default --bucket-id …).`,
    { action: 'stop', cause: error.cause },
  );
}
