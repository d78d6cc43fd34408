import type { NumberBucket, Reduction, TextBucket } from '../../../../src/load/stores/store.ts';
import { readPoints } from './read.ts';

type Question = Omit<Reduction, 'stream'>;

/** Reduces the numbers of a series to buckets. */
export async function reduceNumbers(path: string, question: Question): Promise<NumberBucket[]> {
  return (await readBuckets(path, question, 'values')).map(([at, values]) => ({
    at,
    ...endsOf(values),
    min: Math.min(...values),
    max: Math.max(...values),
  }));
}

/** Reduces the texts of a series to buckets. */
export async function reduceTexts(path: string, question: Question): Promise<TextBucket[]> {
  return (await readBuckets(path, question, 'texts')).map(([at, texts]) => ({
    at,
    ...endsOf(texts),
    distinct: new Set(texts).size,
  }));
}

function endsOf<Value>(values: readonly Value[]): { count: number; first: Value; last: Value } {
  return { count: values.length, first: values[0] as Value, last: values.at(-1) as Value };
}

async function readBuckets<Field extends 'values' | 'texts'>(
  path: string,
  { series, range, stepUs }: Question,
  field: Field,
): Promise<[at: number, values: (Field extends 'values' ? number : string)[]][]> {
  const buckets = new Map<number, never[]>();
  for await (const part of readPoints(path, { series: [series], range }))
    for (const [k, time] of part.times.entries()) {
      const value = part[field][k];
      if (value === null) continue;
      const at = range.from + Math.floor((time - range.from) / stepUs) * stepUs;
      buckets.set(at, [...(buckets.get(at) ?? []), value as never]);
    }
  return [...buckets];
}
