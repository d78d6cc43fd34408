import type { Carried } from '../../series/rollup-joiner.ts';
import type { FixedType } from '../copy/copy-out.ts';

/** The columns of a table of rollups, in the order of the numbers of a rollup. */
export const rollupColumns: readonly { readonly name: string; readonly type: FixedType }[] = [
  { name: 'series_id', type: 'bigint' },
  { name: 'bucket', type: 'timestamptz' },
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
  { name: 'ends_at', type: 'timestamptz' },
  { name: 'covered_sec', type: 'double precision' },
];

/** The last point before an instant, by series and instant: `17 1764442800000000`. */
export type CarriedPoints = ReadonlyMap<string, Carried>;

export function keyOfCarried(seriesId: number, at: number): string {
  return `${seriesId} ${at}`;
}
