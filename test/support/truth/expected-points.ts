import type { Simulator } from '../../../src/simulator/simulator-options.ts';
import type { PointTruth } from '../../../src/simulator/truth.ts';

export interface PointsQuestion {
  readonly fromMs: number;
  readonly toMs: number;
  /**
   * Returns the point as the platform's dialect shows it. Returns undefined if the dialect hides the point.
   */
  readonly shown?: ((point: PointTruth) => PointTruth | undefined) | undefined;
}

export type ExpectedPoint = [at: number, value: number | null, text: string | null];

/**
 * Returns the points of a series that a store should hold in `[fromMs, toMs)`, ascending in time. The last of
 * several points at the same time counts.
 */
export function expectedPoints(
  simulator: Simulator,
  name: string,
  { fromMs, toMs, shown = (point) => point }: PointsQuestion,
): ExpectedPoint[] {
  const truth = simulator.truth
    .history(name, fromMs, toMs)
    .map(shown)
    .filter((point) => point !== undefined);
  const byTime = new Map(truth.map(([timeMs, value]) => [Math.round(timeMs * 1000), expectedValue(value)]));
  return [...byTime].sort(([a], [b]) => a - b).map(([at, [value, text]]) => [at, value, text]);
}

function expectedValue(value: unknown): [value: number | null, text: string | null] {
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return [null, null];
  if (typeof value === 'boolean') return [value ? 1 : 0, null];
  if (typeof value === 'number') return [value, null];
  if (typeof value === 'bigint')
    return [Number(value), Number.isSafeInteger(Number(value)) ? null : String(value)];
  return [null, typeof value === 'string' ? value : JSON.stringify(value)];
}
