import { formatCount } from '../count-text.ts';

/** Why an order leads to no reading. */
export interface NoWork {
  readonly mode: 'increment' | 'backfill';
  /** Whether any of the range can be read already. */
  readonly isReadable: boolean;
  /** The setting that says how old data must be to be read: `history.settle`. */
  readonly settle: string;
  /** Series that are asked for, where there are several. */
  readonly series?: number;
}

/** Says why an order reads nothing, in one sentence: its range lies ahead, or everything is stored. */
export function describeNoWork({ mode, isReadable, settle, series }: NoWork): string {
  if (!isReadable) return `nothing of that range can be read yet: it lies ahead, or is newer than ${settle}`;
  const of = series === undefined ? '' : ` (${formatCount(series)} series)`;
  return mode === 'increment'
    ? `everything wanted is stored already${of}`
    : `everything asked for is stored already${of}; --force reads it again`;
}
