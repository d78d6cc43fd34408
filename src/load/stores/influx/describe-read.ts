import { formatInstant } from '../../../series/instant.ts';
import type { Stretch } from '../store.ts';
import { conditionsOf, type InfluxPlace, sourceOf } from './read.ts';

/** Writes the InfluxQL that reads points, for people to copy. Each series is a table of its own. */
export function describeInfluxRead(place: InfluxPlace, stretch: Omit<Stretch, 'stream'>): string {
  const where = conditionsOf(place, stretch, (micros) => `'${formatInstant(micros)}'`);
  return `SELECT "value", "text" FROM ${sourceOf(place)} WHERE ${where} GROUP BY *`;
}
