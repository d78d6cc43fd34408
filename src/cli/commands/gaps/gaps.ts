import type { Config } from '../../../config/config-schema.ts';
import { parseRange, parseTime, zoneOf } from '../../../config/time-text.ts';
import { ExitCode, InterruptedError } from '../../../errors.ts';
import type { CoverageFilter } from '../../../sync/selection/fill-order.ts';
import { readPicture } from '../../../sync/status/coverage-picture.ts';
import { describeWanted, readGapPages, type WantedSeries } from '../../../sync/status/list-gaps.ts';
import { sumUpGaps } from '../../../sync/status/sum-up-gaps.ts';
import { type CommonOptions, type Io, print, printData } from '../../io.ts';
import { type CommandContext, openContext, withSession } from '../../open/session.ts';
import { describeCoverage } from '../../output/render-gaps.ts';
import { tellWait } from '../../output/tell-wait.ts';
import { columnsOf } from '../../output/terminal-width.ts';
import { countCells, renderPicture } from './render-coverage.ts';
import { describeSum, renderSums } from './render-sums.ts';
import { writeGapLines, writeGapsJson } from './write-gaps.ts';

export interface GapsOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly object?: string;
  readonly property?: string;
  readonly summary?: boolean;
}

/** In a plant with more series than this, no picture is drawn. */
const MOST_PICTURED = 100_000;

/**
 * Runs `plantsync gaps`: lists the ranges of history that are wanted and not stored, by store and series, or
 * adds them up. Returns exit code 3 if there are any.
 */
export async function gaps(io: Io, options: GapsOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const filter = filterOf(options, session.config);
    const ctx = await openContext(io, options, { ...session, readsOnly: true });
    return options.summary ? addUp(io, options, { ctx, filter }) : list(io, options, { ctx, filter });
  });
}

interface Look {
  readonly ctx: CommandContext;
  readonly filter: CoverageFilter;
}

async function addUp(io: Io, options: GapsOptions, { ctx, filter }: Look): Promise<number> {
  const found = await tellWait({ io, log: ctx.log }, 'adding up gaps', () => sumUpGaps(ctx, filter));
  print(io, options, {
    json: { ...found, sums: found.sums.map(describeSum) },
    lines: () => renderSums(found, ctx.config),
  });
  return exitCodeOf(
    found,
    found.sums.some(({ series }) => series > 0),
  );
}

/** Lists the gaps while they are found, so that the first ones come at once and all need little memory. */
async function list(io: Io, options: GapsOptions, { ctx, filter }: Look): Promise<number> {
  const waiting = <T>(work: () => Promise<T>) => tellWait({ io, log: ctx.log }, 'looking for gaps', work);
  const wanted = await waiting(() => describeWanted(ctx, filter));
  const isDrawn = io.stdout.isTTY === true && !options.json && wanted.series > 0;
  if (isDrawn && wanted.series <= MOST_PICTURED) await draw(io, { ctx, filter });
  const pages = readGapPages(ctx, filter);
  const first = await waiting(() => pages.next());
  const found = { count: 0, behindSec: 0 };
  const counted = async function* () {
    for (let next = first; !next.done; next = await pages.next()) {
      found.count += next.value.gaps.length;
      found.behindSec = Math.max(found.behindSec, next.value.behindSec);
      yield next.value.gaps;
    }
  };
  const text = options.json
    ? writeGapsJson(wanted, { pages: counted(), end: () => ({ behindSec: found.behindSec }) })
    : writeGapLines(counted(), columnsOf(io.stdout));
  const isAll = await printToEnd(io, text);
  if (!options.json && isAll)
    print(io, options, { json: undefined, lines: () => describeCoverage({ ...wanted, ...found }) });
  return exitCodeOf(wanted, found.count > 0);
}

async function draw(io: Io, { ctx, filter }: Look): Promise<void> {
  const columns = columnsOf(io.stdout);
  const picture = await readPicture(ctx, { ...filter, countCells: (lines) => countCells(lines, columns) });
  print(io, {}, { json: undefined, lines: () => renderPicture(picture) });
}

/** Resolves to false if the reader of the output has seen enough. */
async function printToEnd(io: Io, text: AsyncIterable<string>): Promise<boolean> {
  try {
    await printData(io, text);
    return true;
  } catch (error) {
    const { reason } = io.signal;
    if (reason instanceof InterruptedError && reason.code === 'interrupted.output_closed') return false;
    throw error;
  }
}

/**
 * Returns 0 if nothing is missing: everything wanted is known and stored, or the platform has nothing to
 * read.
 */
function exitCodeOf({ series, nothing, unread }: WantedSeries, isMissing: boolean): number {
  const isExplained = series > 0 || nothing?.isFault === false;
  return isExplained && unread === undefined && !isMissing ? ExitCode.done : ExitCode.partial;
}

/** Without `--from` each selection is looked at from its own start of history. */
function filterOf(options: GapsOptions, config: Config): CoverageFilter {
  const { from, to, object, property } = options;
  const question = { zone: zoneOf(options.timezone, config), now: Date.now() * 1000 };
  const range =
    from === undefined
      ? to !== undefined && { to: Math.min(question.now, parseTime(to, { option: '--to', ...question })) }
      : parseRange({ from, to, ...question });
  return { ...range, ...(object && { objects: object }), ...(property && { properties: property }) };
}
