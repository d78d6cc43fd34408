import type { LeftOut } from '../../load/rows/count-selected.ts';
import { formatCount } from '../count-text.ts';

/** Describes in one sentence the properties that no selection reads. Returns nothing if there are none. */
export function describeLeftOut(leftOut: LeftOut | undefined): string[] {
  if (leftOut === undefined) return [];
  const { unrecorded, unmatched } = leftOut;
  const parts = [
    ...(unrecorded > 0
      ? [`${formatCount(unrecorded)} neither persisted nor logged ("recorded: any" reads them)`]
      : []),
    ...(unmatched > 0 ? [`${formatCount(unmatched)} matched by no selection`] : []),
  ];
  return parts.length === 0 ? [] : [`properties left out: ${parts.join(', ')}`];
}
