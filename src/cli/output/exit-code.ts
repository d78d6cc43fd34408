import { ExitCode } from '../../errors.ts';
import type { RunSummary } from '../../sync/run-summary.ts';

/** Returns done if all runs are done, failed if all failed, and partial otherwise. */
export function exitCodeOf(summaries: readonly RunSummary[]): number {
  if (summaries.every(({ status }) => status === 'done')) return ExitCode.done;
  return summaries.every(({ status }) => status === 'failed') ? ExitCode.failed : ExitCode.partial;
}
