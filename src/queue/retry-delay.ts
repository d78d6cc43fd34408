const firstRetryMs = 5_000;
const longestRetryMs = 300_000;

/** How long after its failure a job is tried again, unless it is due before; `failures` counts those in a row, from 1. */
export function retryDelayMs(failures: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1));
}
