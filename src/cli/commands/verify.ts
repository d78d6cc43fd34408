import { parseRange, zoneOf } from '../../config/time-text.ts';
import { ExitCode, UsageError } from '../../errors.ts';
import { formatInstant } from '../../series/instant.ts';
import { plural } from '../../sync/count-text.ts';
import { keepRollupsAfter } from '../../sync/rollups/keep-rollups.ts';
import { type VerifyReport, verifyHistory } from '../../sync/verify/verify-history.ts';
import type { Found, SeriesDifferences, StoreVerification } from '../../sync/verify/verify-report.ts';
import { type CommonOptions, type Io, print, say } from '../io.ts';
import { checkReachable } from '../open/check-reachable.ts';
import { readDirectoryFirst } from '../open/read-directory-first.ts';
import { openContext, withSession } from '../open/session.ts';
import { describeGaps, renderGaps } from '../output/render-gaps.ts';
import { renderSummary } from '../output/summary-table.ts';
import { type Column, formatNumber, type Line, makeTable } from '../output/table.ts';
import { describeRange, formatRange } from '../output/time.ts';

export interface VerifyOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly object?: string;
  readonly property?: string;
  readonly repair?: boolean;
}

/** The number of series that are listed one by one. */
const SERIES_SHOWN = 50;

/**
 * Runs `plantsync verify`: reads the platform again and compares it with the stores. Returns exit code 3 if
 * anything differs or could not be compared, and 1 if nothing could be compared.
 */
export async function verify(io: Io, options: VerifyOptions): Promise<number> {
  const { from, to } = options;
  if (from === undefined)
    throw new UsageError(
      'usage.missing_argument',
      '--from TIME is missing: where does the comparison begin?',
    );
  return withSession(io, options, async (session) => {
    const dates = zoneOf(options.timezone, session.config);
    const range = parseRange({ from, to, zone: dates, now: Date.now() * 1000 });
    say(io, `verification of ${formatRange(range, dates.name)}\n`);
    const ctx = await openContext(io, options, { ...session, readsOnly: !options.repair });
    await checkReachable(io, ctx);
    const { object: objects, property: properties, repair } = options;
    const directory = await readDirectoryFirst(io, ctx);
    const report = await verifyHistory(ctx, { ...range, objects, properties, repair });
    const rollups = repair ? await keepRollupsAfter(ctx) : [];
    ctx.progress.close();
    print(io, options, {
      json: {
        ...toJson(report),
        ...(directory.length > 0 && { directory }),
        ...(rollups.length > 0 && { rollups }),
      },
      lines: () => [
        ...(directory.length > 0 ? [...renderSummary(directory), ''] : []),
        ...renderReport(report, { isRepaired: repair ?? false }),
        ...rollups.flatMap(({ problems, notes }) => [...problems, ...notes]),
      ],
    });
    const code = exitCodeOfVerification(report);
    const isKnown = directory.every(({ status }) => status === 'done');
    return code === ExitCode.done && !isKnown ? ExitCode.partial : code;
  });
}

/** Returns 0 only if every stored range was compared and is equal, or the platform has nothing to compare. */
export function exitCodeOfVerification({ summary, stores, series }: VerifyReport): number {
  if (series === 0 && summary.status !== 'failed')
    return summary.status === 'done' ? ExitCode.done : ExitCode.partial;
  const isLost = summary.status === 'failed' || stores.every(({ failure }) => failure !== undefined);
  if (isLost) return ExitCode.failed;
  const isEqual = summary.status === 'done' && stores.some(({ windows }) => windows > 0);
  return isEqual ? ExitCode.done : ExitCode.partial;
}

function toJson({ range, stores, gaps, ...rest }: VerifyReport): object {
  const times = ({ count, first }: Found) => ({ count, first: first.map(formatInstant) });
  return {
    ...rest,
    range: describeRange(range),
    stores: stores.map(({ differences, ...store }) => ({
      ...store,
      differences: differences.map(({ stream, series, missing, extra, different }) => ({
        stream,
        series,
        missing: times(missing),
        extra: times(extra),
        different: times(different),
      })),
    })),
    gaps: gaps.map(describeGaps),
  };
}

const COLUMNS: readonly (Column | string)[] = [
  'store',
  { title: 'stream', wrap: 8, drop: 2 },
  { title: 'series', cut: 12 },
  'missing',
  'extra',
  'different',
  { title: 'first', wrap: 20, drop: 1 },
];

/**
 * Renders the report: what differs by series, what was not compared, and one closing sentence for each store.
 */
export function renderReport(report: VerifyReport, { isRepaired }: { isRepaired: boolean }): Line[] {
  const { stores, gaps, summary } = report;
  const found = stores.flatMap(({ kind, differences }) => differences.map((each) => ({ kind, ...each })));
  const table = makeTable(
    COLUMNS,
    found
      .slice(0, SERIES_SHOWN)
      .map(({ kind, ...each }) => [
        kind,
        each.stream,
        each.series,
        each.missing.count,
        each.extra.count,
        each.different.count,
        firstOf(each),
      ]),
  );
  const more = found.length - SERIES_SHOWN;
  return [
    ...(found.length > 0 ? [table] : []),
    ...(more > 0 ? [`and ${formatNumber(more)} more series (--json lists all)`] : []),
    ...(gaps.length > 0 ? ['not stored, so not compared:', ...renderGaps(gaps)] : []),
    ...report.unreadable,
    ...summary.notes,
    ...(report.series === 0
      ? []
      : stores.map((store) => describeOutcome(store, summary.status === 'failed'))),
    ...(summary.status === 'failed' || report.series === 0 ? summary.problems : []),
    ...(isRepaired && found.length > 0
      ? ['repaired what can be repaired: verify again to see the result']
      : []),
  ];
}

function firstOf({ missing, extra, different }: SeriesDifferences): string {
  const times = [...missing.first, ...extra.first, ...different.first].sort((a, b) => a - b);
  return times.slice(0, 3).map(formatInstant).join(', ');
}

function describeOutcome(
  { kind, points, windows, differences, failure, kept }: StoreVerification,
  failed: boolean,
) {
  const compared = `${kind}: ${plural(points, 'point')} compared`;
  const { size } = new Set(differences.map(({ series }) => series));
  const verdict = size > 0 ? `${formatNumber(size)} series ${size === 1 ? 'differs' : 'differ'}` : 'equal';
  const parts =
    failed || failure !== undefined ? [] : [windows === 0 ? 'nothing of the range is stored' : verdict];
  return [compared, ...parts, ...(failure ? [failure] : []), ...(kept ? [kept] : [])].join('; ');
}
