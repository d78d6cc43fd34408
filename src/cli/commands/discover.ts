import type { Schedule } from '../../config/schedule.ts';
import { ExitCode } from '../../errors.ts';
import { nextRun } from '../../queue/next-run.ts';
import { plural } from '../../sync/count-text.ts';
import { type Discovery, discover as look } from '../../sync/discover/discover-plant.ts';
import { STORED_PER_SEC } from '../../sync/discover/filling-estimator.ts';
import type { Source } from '../../sync/discover/list-extents.ts';
import { describeLeftOut } from '../../sync/selection/left-out.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { checkReachable } from '../open/check-reachable.ts';
import { withReadContext } from '../open/session.ts';
import { formatBrief, formatDuration, formatNumber, type Line, makeTable } from '../output/table.ts';
import { tellWait } from '../output/tell-wait.ts';

const HOUR_MS = 3_600_000;
/**
 * The range over which runs of a cron expression are counted, unless the number of runs is reached before.
 */
const COUNTED_MS = 28 * 24 * HOUR_MS;
const COUNTED_RUNS = 200;

/**
 * Runs `plantsync discover`: shows what the platform has, what the configuration reads of it, and the
 * requests for that.
 */
export async function discover(io: Io, options: CommonOptions): Promise<number> {
  return withReadContext(io, options, async (ctx) => {
    await checkReachable(io, ctx);
    const when = { nowMs: ctx.clock() / 1000, timezone: ctx.config.schedule.timezone };
    const found = await tellWait({ io, log: ctx.log }, 'asking the platform what it has', () =>
      look(ctx, (schedule) => countRunsPerHour(schedule, when)),
    );
    ctx.progress.close();
    print(io, options, { json: found, lines: () => renderDiscovery(found) });
    return found.totals.isWhole ? ExitCode.done : ExitCode.partial;
  });
}

/** Returns how often a schedule fires in an hour, on average. */
export function countRunsPerHour(
  schedule: Schedule,
  { nowMs, timezone }: { nowMs: number; timezone: string },
): number {
  if ('everyMs' in schedule) return HOUR_MS / schedule.everyMs;
  const firstMs = nextRun(schedule, { afterMs: nowMs, timezone });
  let [lastMs, runs] = [firstMs, 0];
  // Counting from one run to another leaves out no part of a distance.
  while (runs < COUNTED_RUNS && lastMs - firstMs < COUNTED_MS) {
    lastMs = nextRun(schedule, { afterMs: lastMs, timezone });
    runs += 1;
  }
  return (runs * HOUR_MS) / (lastMs - firstMs);
}

const sources: Record<Source, string> = {
  stated: 'platform',
  stored: 'Postgres',
  estimated: 'sample',
  unknown: 'unknown',
};

const streamColumns = [
  'stream',
  'entries',
  { title: 'known from', drop: 1 },
  { title: 'requests/run', drop: 2 },
  'every',
  'requests/h',
];
const runtimeColumns = [
  { title: 'runtime', cut: 16 },
  'series',
  { title: 'known from', drop: 1 },
  'poll requests/h',
  'history requests/h',
  'new points/h',
  { title: 'points read/h', drop: 2 },
];

/** Renders the result for people. */
export function renderDiscovery(found: Discovery): Line[] {
  const { streams, selections, totals, requestsMade } = found;
  const streamRows = streams.map((each) => [
    each.stream,
    number(each.entries),
    sources[each.source],
    number(each.requestsPerRun),
    each.runsPerHour > 0 ? formatDuration(HOUR_MS / each.runsPerHour) : '',
    number(each.requestsPerHour),
  ]);
  const selectionRows = selections.map((each) => [
    each.selection,
    number(each.series),
    sources[each.source],
    number(each.pollRequestsPerHour),
    number(each.historyRequestsPerHour),
    number(each.newPointsPerHour),
    number(each.pointsReadPerHour),
  ]);
  return [
    makeTable(streamColumns, streamRows),
    '',
    makeTable(runtimeColumns, selectionRows),
    'points read/h: including points that are read again, because late points may have come',
    ...describeLeftOut(found.leftOut),
    '',
    ...renderFilling(found),
    '',
    describeTotals(totals),
    `This look took ${plural(requestsMade, 'request')}; nothing was stored.`,
    ...describeProblems({ streams, selections }),
  ];
}

/** Rounds a number, since most numbers are estimates. A small number does not become 0. */
function number(value: number | undefined): number | string {
  if (value === undefined) return '';
  return value < 10 ? Math.ceil(value * 10) / 10 : Math.round(value);
}

function describeTotals({
  requestsPerHour,
  pointsPerHour,
  valuesPerHour,
  isWhole,
}: Discovery['totals']): string {
  const amounts =
    `${formatNumber(Math.round(requestsPerHour))} requests, ${formatNumber(Math.round(pointsPerHour))} points of history and ` +
    `${formatNumber(Math.round(valuesPerHour))} polled values per hour`;
  return isWhole
    ? `In all about ${amounts}, once everything is stored.`
    : `In all about ${amounts}, without the amounts that are unknown above.`;
}

/**
 * Renders the history since `history.start` that is still to be read, before the load above is that of every
 * hour.
 */
function renderFilling({ selections, filling }: Discovery): Line[] {
  const rows = selections.map(({ selection, filling: own }) => [
    selection,
    own === undefined ? '?' : formatBrief(Math.round(own.points)),
    own === undefined ? '?' : formatBrief(own.requests),
    own === undefined ? '?' : formatDuration(own.seconds * 1000),
  ]);
  const isWhole = selections.every((each) => each.filling !== undefined);
  if (isWhole && filling.requests === 0) return ['First filling: nothing is left to read.'];
  const { points, requests, seconds, requestsPerSec, isGuess } = filling;
  const total =
    `First filling, since history.start: about ${formatBrief(Math.round(points))} points in ${formatBrief(requests)} requests, ` +
    `${formatDuration(seconds * 1000)}${isWhole ? '' : ', without the amounts that are unknown above'}.`;
  const readPerSec = formatNumber(Math.max(0.1, Math.round(requestsPerSec * 10) / 10));
  const basis = isGuess
    ? `The time is a guess: ${readPerSec} requests/s, and ${formatNumber(STORED_PER_SEC)} points/s into each store. A busy machine takes longer.`
    : 'The time follows from the rate of earlier fillings.';
  return [
    makeTable([{ title: 'first filling', cut: 16 }, 'points', 'requests', 'time'], rows),
    total,
    basis,
    ...(filling.isLarge ? LARGE : []),
  ];
}

const LARGE = [
  'WARNING: that is a lot (over 100 million points, or over a day). Set a later history.start, and read older history ' +
    'by "plantsync backfill" in ranges that suit the platform, or with --on-workers.',
];

function describeProblems({ streams, selections }: Pick<Discovery, 'streams' | 'selections'>): string[] {
  const problems = [
    ...streams.map(({ stream, problem }) => problem && `${stream}: ${problem}`),
    ...selections.map(({ selection, problem }) => problem && `${selection}: ${problem}`),
  ].filter((problem) => problem !== undefined);
  return problems.length === 0 ? [] : ['', ...problems];
}
