import { ExitCode } from '../../errors.ts';
import type { RunSummary } from '../../sync/run-summary.ts';

/** Done if all is done, failed if everything failed, partial otherwise. */
export function exitCodeOf(summaries: readonly RunSummary[]): number {
  if (summaries.every(({ status }) => status === 'done')) return ExitCode.done;
  return summaries.every(({ status }) => status === 'failed') ? ExitCode.failed : ExitCode.partial;
}
