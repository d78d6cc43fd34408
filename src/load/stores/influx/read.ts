import { StoreError } from '../../../errors.ts';
import type { Series, SeriesPoints } from '../../../series/types.ts';
import type { PointPage, Stretch } from '../store.ts';
import { encodeTag } from './line-protocol.ts';
import type { StreamPlace } from './measurements.ts';
import type { InfluxTarget } from './options.ts';
import { type InfluxHttp, type InfluxPart, quoteIdentifier, quoteText } from './query-client.ts';

/** The place of the points of one stream, and the connection to it. */
export interface InfluxPlace extends StreamPlace {
  readonly http: InfluxHttp;
  readonly target: InfluxTarget;
}

/** The fields of a point. */
export type Field = 'value' | 'text';

/**
 * Reads points by InfluxQL over `/query`. Versions 1.x and 3.x have it. 2.x has it for databases that are
 * mapped to buckets; a database with the name of a bucket is mapped by itself. Series with the same names and
 * further tags belong to other writers and are left out. If only some fields are read, points without them
 * are not in the answer and cost little.
 */
export async function* readInflux(
  place: InfluxPlace,
  { series, range }: Omit<Stretch, 'stream'>,
  fields: readonly Field[] = ['value', 'text'],
): AsyncGenerator<SeriesPoints> {
  const { http, target } = place;
  if (series.length === 0) return;
  const byTags = new Map(series.map((each) => [tagKey(each), each]));
  const statement = `${selectPoints(place, fields)} WHERE ${conditionsOf(place, { series, range })} GROUP BY *`;
  try {
    for await (const part of http.stream(statement)) {
      const own = byTags.get(JSON.stringify([part.tags.object, part.tags.property]));
      if (own !== undefined && isOurs(part, place)) yield pointsOf(own, part);
    }
  } catch (error) {
    throw withRemedy(error, target);
  }
}

/** Reads one page of the points of a series. */
export async function readInfluxPage(
  place: InfluxPlace,
  { series, range, order, limit }: Omit<PointPage, 'stream'>,
): Promise<SeriesPoints> {
  const where = conditionsOf(place, { series: [series], range });
  const direction = order === 'newest first' ? 'DESC' : 'ASC';
  const statement = `${selectPoints(place, ['value', 'text'])} WHERE ${where} GROUP BY * ORDER BY time ${direction} LIMIT ${limit}`;
  return joinParts(series, await readOwn(place, statement));
}

/** Runs a statement about one series with `GROUP BY *`, and returns what is ours. */
export async function readOwn(place: InfluxPlace, statement: string): Promise<InfluxPart[]> {
  const parts: InfluxPart[] = [];
  try {
    for await (const part of place.http.stream(statement)) if (isOurs(part, place)) parts.push(part);
  } catch (error) {
    throw withRemedy(error, place.target);
  }
  return parts;
}

function joinParts(series: Series, parts: readonly InfluxPart[]): SeriesPoints {
  const all = parts.map((part) => pointsOf(series, part));
  return {
    series,
    times: all.flatMap(({ times }) => times),
    values: all.flatMap(({ values }) => values),
    texts: all.flatMap(({ texts }) => texts),
    qualities: all.flatMap(({ qualities }) => qualities),
  };
}

function selectPoints(place: InfluxPlace, fields: readonly Field[]): string {
  return `SELECT ${fields.map(quoteIdentifier).join(', ')} FROM ${sourceOf(place)}`;
}

/** Returns the measurement of a place, with its retention policy if one is configured. */
export function sourceOf({ target, measurement }: InfluxPlace): string {
  const { retentionPolicy } = target.options;
  const policy = retentionPolicy === undefined ? '' : `${quoteIdentifier(retentionPolicy)}.`;
  return `${policy}${quoteIdentifier(measurement)}`;
}

/** Returns the conditions for the points of some series in a range. */
export function conditionsOf(
  place: InfluxPlace,
  { series, range }: Omit<Stretch, 'stream'>,
  time: (micros: number) => string = (micros) => `${micros}u`,
): string {
  return [
    `time >= ${time(range.from)}`,
    `time < ${time(range.to)}`,
    ...constantTags(place),
    `(${series.map((each) => seriesTags(each).join(' AND ')).join(' OR ')})`,
  ].join(' AND ');
}

/** Returns the conditions for the tags of a series, encoded as they are stored. */
export function seriesTags({ object, property }: Series): string[] {
  return [tagIs('object', object), tagIs('property', property)];
}

/** Returns the conditions for the constant tags. Empty tags are not stored. */
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
