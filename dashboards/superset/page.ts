import type { Chart } from './chart.ts';

/** A filter above a dashboard. */
export interface PageFilter {
  readonly name: string;
  readonly about: string;
  /** Where its choices come from. Undefined for a range of time. */
  readonly from?: { readonly dataset: string; readonly column: string };
  /** Whether the first choice is taken as long as nobody chooses. */
  readonly first?: boolean;
  /** Names of the charts to which the filter belongs. Undefined for all. */
  readonly charts?: readonly string[];
}

/** A dashboard. */
export interface Page {
  readonly title: string;
  readonly slug: string;
  readonly about: string;
  readonly filters: readonly PageFilter[];
  readonly rows: readonly (readonly Chart[])[];
}
