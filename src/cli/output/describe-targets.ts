import { EVERYTHING } from '../../ledger/control.ts';

/** Names the paused streams and jobs. */
export function describeTargets(targets: readonly string[]): string {
  return targets.map((target) => (target === EVERYTHING ? 'everything' : target)).join(', ');
}
