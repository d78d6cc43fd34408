import type { Carried, Rollup } from '../../series/rollup.ts';
import type { CopyColumn } from '../copy/encode.ts';

/** The columns of a table of rollups, in the order of the COPY. */
export const rollupColumns: readonly CopyColumn[] = [
  { name: 'series_id', type: 'bigint' },
  { name: 'bucket', type: 'timestamptz' },
  { name: 'ends_at', type: 'timestamptz' },
  { name: 'count', type: 'integer' },
  { name: 'valued', type: 'integer' },
  { name: 'min', type: 'double precision' },
  { name: 'max', type: 'double precision' },
  { name: 'sum', type: 'double precision' },
  { name: 'first_at', type: 'timestamptz' },
  { name: 'first', type: 'double precision' },
  { name: 'last_at', type: 'timestamptz' },
  { name: 'last', type: 'double precision' },
  { name: 'integral', type: 'double precision' },
  { name: 'known_sec', type: 'double precision' },
  { name: 'covered_sec', type: 'double precision' },
];

/** A rollup of a series. */
export interface PlacedRollup {
  readonly seriesId: number;
  readonly rollup: Rollup;
}

/** The last point before an instant, by series and instant: `17 1764442800000000`. */
export type CarriedPoints = ReadonlyMap<string, Carried>;

export function keyOfCarried(seriesId: number, at: number): string {
  return `${seriesId} ${at}`;
}
