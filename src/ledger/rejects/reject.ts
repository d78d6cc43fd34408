import type { Range } from '../../series/types.ts';

/** A record or point that could not be used, with its reason. */
export interface Reject {
  readonly stream: string;
  /** `record`, `point`, or the kind of trouble. */
  readonly kind: string;
  /** Key of the record, or name of the series. */
  readonly key: string;
  readonly reason: string;
  /** How often the case was met. The default is 1. */
  readonly count?: number;
  /** The value as received, or a part of it that shows the trouble. Any JSON value. */
  readonly sample?: unknown;
  /** Time range in which refused points lie. */
  readonly range?: Range;
}
