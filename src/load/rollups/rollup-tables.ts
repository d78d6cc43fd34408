import { quoteTable } from '../../postgres/names.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import type { Carried, Rollup } from '../../series/rollup.ts';
import type { CopyColumn } from '../copy/encode.ts';

/** The tables of the rollups, quoted. */
export interface RollupTables {
  readonly samples: string;
  readonly hourly: string;
  readonly daily: string;
  readonly marks: string;
  readonly backlog: string;
  readonly state: string;
  readonly late: string;
  readonly series: string;
}

export function rollupTables({ data, ledger }: Schemas): RollupTables {
  return {
    samples: quoteTable(data, 'samples'),
    hourly: quoteTable(data, 'rollup_hourly'),
    daily: quoteTable(data, 'rollup_daily'),
    series: quoteTable(data, 'series'),
    marks: quoteTable(ledger, 'rollup_marks'),
    backlog: quoteTable(ledger, 'rollup_backlog'),
    state: quoteTable(ledger, 'rollup_state'),
    late: quoteTable(ledger, 'late_points'),
  };
}

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
