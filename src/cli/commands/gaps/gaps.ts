import type { Config } from '../../../config/config-schema.ts';
import { ExitCode, UsageError } from '../../../errors.ts';
import { describeLeftOut } from '../../../sync/selection/left-out.ts';
import { readPicture } from '../../../sync/status/coverage-picture.ts';
import { type GapReport, listGaps, type SeriesGaps } from '../../../sync/status/read-status.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import { openContext, withSession } from '../../open/session.ts';
import { renderTable } from '../../output/table.ts';
import { describeRange, parseRange, zoneOf } from '../../output/time.ts';
import { renderPicture } from './render-coverage.ts';

export interface GapsOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly object?: string;
  readonly property?: string;
}

const namesShown = 3;

/** `plantsync gaps`: the ranges of history that are wanted and not stored, by store and series. Exit code 3 if there are any. */
export async function gaps(io: Io, options: GapsOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const range = rangeOf(options, session.config);
    const ctx = await openContext(io, options, { ...session, readsOnly: true });
    const report = await listGaps(ctx, range);
    const isDrawn = io.stdout.isTTY === true && !options.json && report.series > 0;
    const picture = isDrawn ? renderPicture(await readPicture(ctx, range)) : [];
    print(io, options, {
      json: { ...report, gaps: report.gaps.map(describeGaps) },
      lines: () => [...picture, ...renderGaps(report.gaps), ...describeCoverage(report)],
    });
    return exitCodeOf(report);
  });
}

/** 0 if nothing is missing: all that is wanted is known and stored, or the platform has nothing to want. */
function exitCodeOf({ series, nothing, unread, gaps: found }: GapReport): number {
  const isExplained = series > 0 || nothing?.isFault === false;
  return isExplained && unread === undefined && found.length === 0 ? ExitCode.done : ExitCode.partial;
}

function rangeOf(options: GapsOptions, config: Config): Parameters<typeof listGaps>[1] {
  const { from, to, object, property } = options;
  if (from === undefined) {
    if (to === undefined && object === undefined && property === undefined) return undefined;
    throw new UsageError('--to, --object and --property need --from');
  }
  const range = parseRange({ from, to, zone: zoneOf(options.timezone, config), now: Date.now() * 1000 });
  return { ...range, ...(object && { objects: object }), ...(property && { properties: property }) };
}

/** The gaps of one series with times as texts. */
export function describeGaps({ store, stream, series, ranges }: SeriesGaps) {
  return {
    store,
    stream,
    series,
    ranges: ranges.map(describeRange),
  };
}

/** Series with the same gap on one line: after an outage that is all of them. */
export function renderGaps(found: readonly SeriesGaps[]): string[] {
  if (found.length === 0) return [];
  const groups = new Map<
    string,
    { store: string; stream: string; from: string; to: string; names: string[] }
  >();
  for (const each of found) {
    const { store, stream, series, ranges } = describeGaps(each);
    for (const { from, to } of ranges) {
      const key = JSON.stringify([store, stream, from, to]);
      const group = groups.get(key) ?? { store, stream, from, to, names: [] };
      group.names.push(series);
      groups.set(key, group);
    }
  }
  const rows = [...groups.values()].map(({ store, stream, from, to, names }) => [
    store,
    stream,
    from,
    to,
    shorten(names),
  ]);
  return renderTable(['store', 'stream', 'from', 'to', 'series'], rows);
}

/** What the absence of gaps means: nothing, where no series is known. */
export function describeCoverage({
  series,
  nothing,
  empty,
  unread,
  leftOut,
  gaps,
  behindSec,
}: Omit<GapReport, 'gaps' | 'unmatched'> & { gaps?: readonly unknown[] }): string[] {
  const vain = nothing === undefined || empty.includes(nothing.sentence) ? [] : [nothing.sentence];
  const known = [...(empty.length > 0 ? empty : vain), ...(unread === undefined ? [] : [unread])];
  const told = [...new Set([...known, ...describeLeftOut(leftOut)])];
  if (series === 0) return told;
  const newest = behindSec > 0 ? `; the newest ${Math.ceil(behindSec)} s are read by the next run` : '';
  const complete =
    gaps?.length === 0 ? [`no gaps: all of ${series} series that is wanted is stored${newest}`] : [];
  return [...told, ...complete];
}

function shorten(names: readonly string[]): string {
  const more = names.length - namesShown;
  return names.slice(0, namesShown).join(', ') + (more > 0 ? ` and ${more} more (--json lists all)` : '');
}
