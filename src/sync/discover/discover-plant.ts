import type { LeftOut } from '../../load/rows/count-selected.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { Stream } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import type { SyncContext } from '../context.ts';
import { settingsOf } from '../stream-settings.ts';
import { type Filling, FillingEstimator, LARGE_FILLING, sumFillings } from './filling-estimator.ts';
import { ListExtents, type Source } from './list-extents.ts';
import { costSelections, type RunsPerHour, type SelectionCost } from './selection-costs.ts';

/** The requests that reading one stream takes. A number that is not known is undefined. */
export interface StreamCost {
  readonly stream: string;
  /** How the number of entries is known. */
  readonly source: Source;
  readonly entries: number | undefined;
  readonly requestsPerRun: number | undefined;
  readonly runsPerHour: number;
  readonly requestsPerHour: number | undefined;
  /** Says what is not known, and why. */
  readonly problem?: string;
}

/** The cost of a selection, and the work to fill its history. */
export interface SelectionLook extends Omit<SelectionCost, 'density'> {
  /** Undefined if the filling is not known. */
  readonly filling: Filling | undefined;
}

/** What the platform has for this configuration, and what reading it costs once everything is stored. */
export interface Discovery {
  readonly streams: readonly StreamCost[];
  readonly selections: readonly SelectionLook[];
  /** Properties that no selection reads. Undefined if the properties are not known. */
  readonly leftOut: LeftOut | undefined;
  /**
   * The work to fill the history of all selections. The rate is the configured one, or else the rate of this
   * discovery.
   */
  readonly filling: Filling & { readonly requestsPerSec: number; readonly isLarge: boolean };
  readonly totals: {
    readonly requestsPerHour: number;
    /** Points of history that are read. */
    readonly pointsPerHour: number;
    /** Values that are polled. */
    readonly valuesPerHour: number;
    /** False if a number above is not known, so that the sums lack it. */
    readonly isWhole: boolean;
  };
  /** Requests that the discovery took. */
  readonly requestsMade: number;
}

/**
 * Looks at the platform with small requests, and works out the load that the configuration leads to. The
 * replies are not stored. Throws the platform's error if the platform answers nothing at all.
 */
export async function discover(ctx: SyncContext, runsPerHour: RunsPerHour): Promise<Discovery> {
  const before = ctx.platform.stats().requests;
  const begunAt = steadyMs();
  const extents = await ListExtents.open(ctx);
  const costs: StreamCost[] = [];
  for (const stream of streams.filter((each) => settingsOf(ctx.config, each).enabled))
    costs.push(await costStream(ctx, stream, { extents, runsPerHour }));
  const { selections: costed, leftOut } = await costSelections(ctx, { extents, runsPerHour });
  const requestsMade = ctx.platform.stats().requests - before;
  const seenPerSec = (requestsMade * 1000) / Math.max(1, steadyMs() - begunAt);
  const requestsPerSec = ctx.config.platform.requestsPerSecond ?? Math.max(seenPerSec, 0.1);
  const estimator = await FillingEstimator.open(ctx, extents);
  const selections = costed.map(({ density, ...cost }, k) => ({
    ...cost,
    filling: fillingOf(ctx, { estimator, cost, density, index: k, requestsPerSec }),
  }));
  const filling = sumFillings(selections.map((each) => each.filling));
  return {
    streams: costs,
    selections,
    leftOut,
    filling: {
      ...filling,
      requestsPerSec,
      isLarge: filling.points > LARGE_FILLING.points || filling.seconds > LARGE_FILLING.seconds,
    },
    totals: sumUp(costs, selections),
    requestsMade,
  };
}

interface FillingDeps {
  readonly estimator: FillingEstimator;
  readonly cost: Pick<SelectionCost, 'series'>;
  readonly density: SelectionCost['density'];
  /** Place of the selection in the configuration. */
  readonly index: number;
  readonly requestsPerSec: number;
}

function fillingOf(
  { config }: SyncContext,
  { estimator, cost, density, index, requestsPerSec }: FillingDeps,
): Filling | undefined {
  const selection = config.runtime[index];
  if (selection === undefined || cost.series === undefined) return undefined;
  const question = { selection, count: cost.series, densityOf: (stream: string) => density[stream] };
  return estimator.estimate(question, requestsPerSec);
}

async function costStream(
  { config }: SyncContext,
  stream: Stream,
  { extents, runsPerHour }: { extents: ListExtents; runsPerHour: RunsPerHour },
): Promise<StreamCost> {
  const { source, entries, requests, problem } = await extents.of(stream);
  const { everyMs } = settingsOf(config, stream);
  const schedule = everyMs === undefined ? config.streams[stream.name]?.schedule : { everyMs };
  const runs = schedule === undefined ? 0 : runsPerHour(schedule);
  return {
    stream: stream.name,
    source,
    entries,
    requestsPerRun: requests,
    runsPerHour: runs,
    requestsPerHour: requests === undefined ? undefined : requests * runs,
    ...(problem !== undefined && { problem }),
  };
}

function sumUp(costs: readonly StreamCost[], selections: readonly SelectionLook[]): Discovery['totals'] {
  const requests = [
    ...costs.map(({ requestsPerHour }) => requestsPerHour),
    ...selections.flatMap((each) => [each.pollRequestsPerHour, each.historyRequestsPerHour]),
  ];
  const points = selections.map(({ pointsReadPerHour }) => pointsReadPerHour);
  const values = selections.map(({ valuesPerHour }) => valuesPerHour);
  return {
    requestsPerHour: sum(requests),
    pointsPerHour: sum(points),
    valuesPerHour: sum(values),
    isWhole: [...requests, ...points, ...values].every((each) => each !== undefined),
  };
}

function sum(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((total, each) => total + (each ?? 0), 0);
}
