import { quoteTable } from './names.ts';
import type { Schemas } from './schemas.ts';

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

/** Series of one row of the backlog. */
export const BACKLOG_SERIES = 100;
