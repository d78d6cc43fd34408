import { describeLeftOut } from '../../sync/selection/left-out.ts';
import type { SeriesGaps, WantedSeries } from '../../sync/status/list-gaps.ts';
import { type Line, makeTable } from './table.ts';
import { describeRange } from './time.ts';

const NAMES_SHOWN = 3;
function shorten(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN;
  return names.slice(0, NAMES_SHOWN).join(', ') + (more > 0 ? ` and ${more} more (--json lists all)` : '');
}

/** Returns the gaps of one series with times as texts. */
export function describeGaps({ store, stream, series, ranges }: SeriesGaps) {
  return {
    store,
    stream,
    series,
    ranges: ranges.map(describeRange),
  };
}

/** Renders gaps, with all series of the same gap on one line: after an outage these are all series. */
export function renderGaps(found: readonly SeriesGaps[]): Line[] {
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
  const columns = [
    { title: 'store', cut: 8 },
    { title: 'stream', wrap: 8, drop: 1 },
    'from',
    'to',
    { title: 'series', wrap: 16 },
  ];
  return [makeTable(columns, rows)];
}

/** What was looked at, and how many gaps were found if somebody counted them. */
interface Found extends Omit<WantedSeries, 'unmatched'> {
  readonly behindSec: number;
  readonly count?: number | undefined;
}

/** Describes what the absence of gaps means. Without known series it means nothing. */
export function describeCoverage({
  series,
  nothing,
  empty,
  unread,
  leftOut,
  count,
  behindSec,
}: Found): string[] {
  const vain = nothing === undefined || empty.includes(nothing.sentence) ? [] : [nothing.sentence];
  const known = [...(empty.length > 0 ? empty : vain), ...(unread === undefined ? [] : [unread])];
  const told = [...new Set([...known, ...describeLeftOut(leftOut)])];
  if (series === 0) return told;
  const newest = behindSec > 0 ? `; the newest ${Math.ceil(behindSec)} s are read by the next run` : '';
  const complete = count === 0 ? [`no gaps: everything wanted of ${series} series is stored${newest}`] : [];
  return [...told, ...complete];
}
