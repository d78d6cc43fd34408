import { formatCount } from '../count-text.ts';

/** The facts that tell why an order reads nothing. */
export interface NoWork {
  readonly mode: 'increment' | 'backfill';
  /** Whether any part of the range can be read already. */
  readonly isReadable: boolean;
  /** Name of the setting that says how old data must be to be read: `history.settle`. */
  readonly settle: string;
  /** Number of series that are asked for, if there may be several. */
  readonly series?: number;
}

/** Says in one sentence why an order reads nothing: its range lies ahead, or everything is stored. */
export function describeNoWork({ mode, isReadable, settle, series }: NoWork): string {
  if (!isReadable) return `nothing of that range can be read yet: it lies ahead, or is newer than ${settle}`;
  const of = series === undefined ? '' : ` (${formatCount(series)} series)`;
  return mode === 'increment'
    ? `everything wanted is stored already${of}`
    : `everything asked for is stored already${of}; --force reads it again`;
}
