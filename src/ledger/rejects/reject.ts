import type { Range } from '../../series/types.ts';

/** Something that the platform sent and that could not be used. */
export interface Reject {
  readonly stream: string;
  /** `record`, `point`, or the kind of trouble. */
  readonly kind: string;
  /** Key of the record, or name of the series. */
  readonly key: string;
  readonly reason: string;
  /** How often; 1 if left out. */
  readonly count?: number;
  /** What was received, or a part of it that shows the trouble: any JSON value. */
  readonly sample?: unknown;
  /** Where in time refused points lie. */
  readonly range?: Range;
}
