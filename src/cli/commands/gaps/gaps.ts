import type { Config } from '../../../config/config-schema.ts';
import { parseRange, parseTime, zoneOf } from '../../../config/time-text.ts';
import { ExitCode } from '../../../errors.ts';
import type { CoverageFilter } from '../../../sync/selection/fill-order.ts';
import { readPicture } from '../../../sync/status/coverage-picture.ts';
import { type GapReport, listGaps } from '../../../sync/status/list-gaps.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import { openContext, withSession } from '../../open/session.ts';
import { describeCoverage, describeGaps, renderGaps } from '../../output/render-gaps.ts';
import { tellWait } from '../../output/tell-wait.ts';
import { columnsOf } from '../../output/terminal-width.ts';
import { countCells, renderPicture } from './render-coverage.ts';

export interface GapsOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly object?: string;
  readonly property?: string;
}

/**
 * Runs `plantsync gaps`: lists the ranges of history that are wanted and not stored, by store and series.
 * Returns exit code 3 if there are any.
 */
export async function gaps(io: Io, options: GapsOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const filter = filterOf(options, session.config);
    const ctx = await openContext(io, options, { ...session, readsOnly: true });
    const report = await tellWait({ io, log: ctx.log }, 'looking for gaps', () => listGaps(ctx, filter));
    const isDrawn = io.stdout.isTTY === true && !options.json && report.series > 0;
    const columns = columnsOf(io.stdout);
    const picture = isDrawn
      ? renderPicture(
          await readPicture(ctx, { ...filter, countCells: (lines) => countCells(lines, columns) }),
        )
      : [];
    print(io, options, {
      json: { ...report, gaps: report.gaps.map(describeGaps) },
      lines: () => [...picture, ...renderGaps(report.gaps), ...describeCoverage(report)],
    });
    return exitCodeOf(report);
  });
}

/**
 * Returns 0 if nothing is missing: everything wanted is known and stored, or the platform has nothing to
 * read.
 */
function exitCodeOf({ series, nothing, unread, gaps: found }: GapReport): number {
  const isExplained = series > 0 || nothing?.isFault === false;
  return isExplained && unread === undefined && found.length === 0 ? ExitCode.done : ExitCode.partial;
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
