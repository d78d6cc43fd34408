import type { Points } from '../signals/signal.ts';
import type { Selected } from './select.ts';

/** The rows of one entry of `select`, in the order of the reply. */
export interface HistoryResult {
  readonly selected: Selected;
  readonly points: Points;
}
