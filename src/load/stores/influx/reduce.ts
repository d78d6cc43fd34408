import type { NumberBucket, Reduction, TextBucket } from '../store.ts';
import { conditionsOf, type InfluxPlace, readOwn, sourceOf } from './read.ts';

type Question = Omit<Reduction, 'stream'>;

/** Reduces the numbers of a series to buckets. */
export async function reduceInfluxNumbers(
  place: InfluxPlace,
  question: Question,
): Promise<readonly NumberBucket[]> {
  const what = 'count("value"), first("value"), last("value"), min("value"), max("value")';
  const rows = await readBuckets<[number, number, number, number, number, number]>(place, what, question);
  return rows.map(([at, count, first, last, min, max]) => ({ at, count, first, last, min, max }));
}

/** Reduces the texts of a series to buckets. */
export async function reduceInfluxTexts(
  place: InfluxPlace,
  question: Question,
): Promise<readonly TextBucket[]> {
  const what = 'count("text"), count(distinct("text")), first("text"), last("text")';
  const rows = await readBuckets<[number, number, number, string, string]>(place, what, question);
  return rows.map(([at, count, distinct, first, last]) => ({ at, count, distinct, first, last }));
}

async function readBuckets<Row extends readonly unknown[]>(
  place: InfluxPlace,
  what: string,
  { series, range, stepUs }: Question,
): Promise<Row[]> {
  const where = conditionsOf(place, { series: [series], range });
  const statement = `SELECT ${what} FROM ${sourceOf(place)} WHERE ${where} GROUP BY time(${stepUs}u, ${range.from % stepUs}u), * fill(none)`;
  const parts = await readOwn(place, statement);
  return parts.flatMap(({ rows }) => rows as unknown as Row[]).filter(([, count]) => Number(count) > 0);
}
