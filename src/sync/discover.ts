import type { Stream } from '../streams/define.ts';
import { streams } from '../streams/index.ts';
import type { SyncContext } from './context.ts';
import { ListExtents, type Source } from './discover-lists.ts';
import { costSelections, type RunsPerHour, type SelectionCost } from './discover-runtime.ts';
import { settingsOf } from './stream-settings.ts';

/** What the reading of one stream asks of the platform; what is not known is undefined. */
export interface StreamCost {
  readonly stream: string;
  /** How the number of entries is known. */
  readonly source: Source;
  readonly entries: number | undefined;
  readonly requestsPerRun: number | undefined;
  readonly runsPerHour: number;
  readonly requestsPerHour: number | undefined;
  /** What is not known, and why. */
  readonly problem?: string;
}

/** What the platform has of what the configuration reads, and what reading it costs once everything is stored. */
export interface Discovery {
  readonly streams: readonly StreamCost[];
  readonly selections: readonly SelectionCost[];
  readonly totals: {
    readonly requestsPerHour: number;
    /** Points of history that are read. */
    readonly pointsPerHour: number;
    /** Polled values. */
    readonly valuesPerHour: number;
    /** False if something above is not known, so that it is not counted in. */
    readonly isWhole: boolean;
  };
  /** Requests that finding it out took. */
  readonly requestsMade: number;
}

/**
 * Looks at the platform with small requests and works out the load that the configuration leads to. It writes nothing.
 * Throws what the platform throws if it answers nothing at all.
 */
export async function discover(ctx: SyncContext, runsPerHour: RunsPerHour): Promise<Discovery> {
  const before = ctx.platform.stats().requests;
  const extents = await ListExtents.open(ctx);
  const costs: StreamCost[] = [];
  for (const stream of streams.filter((each) => settingsOf(ctx.config, each).enabled))
    costs.push(await costStream(ctx, stream, { extents, runsPerHour }));
  const selections = await costSelections(ctx, { extents, runsPerHour });
  return {
    streams: costs,
    selections,
    totals: sumUp(costs, selections),
    requestsMade: ctx.platform.stats().requests - before,
  };
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

function sumUp(costs: readonly StreamCost[], selections: readonly SelectionCost[]): Discovery['totals'] {
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
