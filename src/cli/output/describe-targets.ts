import { EVERYTHING } from '../../ledger/control.ts';

/** What is paused, in words. */
export function describeTargets(targets: readonly string[]): string {
  return targets.map((target) => (target === EVERYTHING ? 'everything' : target)).join(', ');
}
