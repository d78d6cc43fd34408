import type { Config } from '../config/schema.ts';
import { UsageError } from '../errors.ts';
import { formatInstant } from '../series/instant.ts';
import { listGaps, type SeriesGaps } from '../sync/status.ts';
import { zoneOf } from './backfill.ts';
import { type CommonOptions, type Io, print } from './io.ts';
import { openContext, withSession } from './session.ts';
import { renderTable } from './table.ts';
import { parseRange } from './time.ts';

export interface GapsOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly object?: string;
  readonly property?: string;
}

const namesShown = 3;

/** `plantsync gaps`: the ranges of history that are wanted and not stored, by store and series. */
export async function gaps(io: Io, options: GapsOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const range = rangeOf(options, session.config);
    const ctx = await openContext(io, options, session);
    const found = await listGaps(ctx, range);
    print(io, options, { json: { gaps: found.map(describe) }, lines: () => renderGaps(found) });
    return 0;
  });
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

function describe({ store, series, ranges }: SeriesGaps) {
  return {
    store,
    series,
    ranges: ranges.map(({ from, to }) => ({ from: formatInstant(from), to: formatInstant(to) })),
  };
}

/** Series with the same gap on one line: after an outage that is all of them. */
function renderGaps(found: readonly SeriesGaps[]): string[] {
  if (found.length === 0) return ['no gaps: everything wanted is stored'];
  const groups = new Map<string, { store: string; from: string; to: string; names: string[] }>();
  for (const each of found) {
    const { store, series, ranges } = describe(each);
    for (const { from, to } of ranges) {
      const key = JSON.stringify([store, from, to]);
      const group = groups.get(key) ?? { store, from, to, names: [] };
      group.names.push(series);
      groups.set(key, group);
    }
  }
  const rows = [...groups.values()].map(({ store, from, to, names }) => [store, from, to, shorten(names)]);
  return renderTable(['store', 'from', 'to', 'series'], rows);
}

function shorten(names: readonly string[]): string {
  const more = names.length - namesShown;
  return names.slice(0, namesShown).join(', ') + (more > 0 ? ` and ${more} more (--json lists all)` : '');
}
