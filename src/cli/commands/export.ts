import { parseRange, zoneOf } from '../../config/time-text.ts';
import { ExitCode, InterruptedError, UsageError } from '../../errors.ts';
import type { PointStore } from '../../load/stores/store.ts';
import { type HistoryStream, parseHistoryStream } from '../../series/history-stream.ts';
import type { Range } from '../../series/types.ts';
import { createInstantFormatter } from '../../series/zoned-instant.ts';
import { formatCount, plural } from '../../sync/count-text.ts';
import { chooseStore } from '../../sync/explore/choose-store.ts';
import { type ExportPlan, planExport, readExport } from '../../sync/explore/export-points.ts';
import { createPointLines, type PointFormat, pointFormats } from '../../sync/explore/point-lines.ts';
import type { Progress } from '../../sync/progress.ts';
import { type CommonOptions, type Io, print, printData, say, sayLines } from '../io.ts';
import { openContext, withSession } from '../open/session.ts';
import { renderGaps } from '../output/render-gaps.ts';
import { describeRange, formatRange } from '../output/time.ts';
import { writeWhole } from '../output/write-file.ts';

export interface ExportOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly object: string;
  readonly property: string;
  readonly store?: string;
  readonly stream: string;
  readonly format?: PointFormat;
  readonly output?: string;
}

/**
 * Runs `plantsync export`: writes stored points as CSV or JSON lines. Returns exit code 3 if a part of the
 * range is not stored, or no series matches.
 */
export async function exportPoints(io: Io, options: ExportOptions): Promise<number> {
  const { from, to, output } = options;
  if (from === undefined)
    throw new UsageError('usage.missing_argument', '--from TIME is missing: where do the points begin?');
  if (options.json && output === undefined)
    throw new UsageError(
      'usage.conflicting_options',
      '--json prints a summary where the points go: give --output FILE as well, or --format jsonl for points as JSON',
    );
  const stream = parseStream(options.stream);
  return withSession(io, options, async (session) => {
    const zone = zoneOf(options.timezone, session.config);
    const range = parseRange({ from, to, zone, now: Date.now() * 1000 });
    say(io, `export of ${formatRange(range, zone.name)}\n`);
    const ctx = await openContext(io, options, { ...session, readsOnly: true });
    const store = chooseStore(ctx.stores, options.store);
    const { object: objects, property: properties } = options;
    const question = { ...range, objects, properties, store, stream };
    const plan = await planExport(ctx, question);
    const counted: Counted = { points: 0, series: new Set() };
    // Bars would mix with the points.
    const shown = output === undefined && io.stdout.isTTY ? undefined : ctx.progress;
    const isRead = await writePoints(io, options, readCounted({ question, plan, counted, progress: shown }));
    if (!isRead) return ExitCode.done;
    ctx.progress.close();
    return report(io, options, { plan, counted, range, store, stream });
  });
}

function parseStream(name: string): HistoryStream {
  const stream = parseHistoryStream(name);
  if (stream !== undefined) return stream;
  throw new UsageError(
    'usage.unknown_stream',
    `--stream ${name}: is no stream of points; give history, or an aggregate such as history/300s/mean`,
  );
}

/** What was exported so far. */
interface Counted {
  points: number;
  readonly series: Set<number>;
}

interface Reading {
  readonly question: Parameters<typeof readExport>[0];
  readonly plan: ExportPlan;
  readonly counted: Counted;
  readonly progress: Progress | undefined;
}

async function* readCounted({ question, plan, counted, progress }: Reading) {
  const line = progress?.start('export', plan.series.length, 'series');
  for await (const part of readExport(question, plan.series)) {
    if (!counted.series.has(part.series.id)) line?.add(1);
    counted.series.add(part.series.id);
    counted.points += part.times.length;
    line?.bring(part.times.length, 'points');
    yield part;
  }
  line?.finish();
}

/** Resolves to false if the reader of the output has seen enough. */
async function writePoints(
  io: Io,
  { output, format, timezone }: ExportOptions,
  parts: ReturnType<typeof readCounted>,
): Promise<boolean> {
  const lines = createPointLines(format ?? formatOf(output), createInstantFormatter(timezone ?? 'UTC'));
  const chunks = async function* () {
    if (lines.head !== '') yield lines.head;
    for await (const part of parts) yield lines.write(part);
  };
  try {
    await (output === undefined ? printData(io, chunks()) : writeWhole(output, chunks(), io.signal));
    return true;
  } catch (error) {
    if (!io.signal.aborted) throw error;
    const { reason } = io.signal;
    if (reason instanceof InterruptedError && reason.code === 'interrupted.output_closed') return false;
    const left = output === undefined ? 'what was written is not all' : `${output} was not written`;
    throw new InterruptedError('interrupted.by_signal', `the export was interrupted: ${left}`);
  }
}

/** The name of a file tells its format. */
function formatOf(output: string | undefined): PointFormat {
  return pointFormats.find((format) => new RegExp(`\\.${format}(\\.gz)?$`).test(output ?? '')) ?? 'csv';
}

interface Exported {
  readonly plan: ExportPlan;
  readonly counted: Counted;
  readonly range: Range;
  readonly store: PointStore;
  readonly stream: HistoryStream;
}

function report(io: Io, options: ExportOptions, exported: Exported): number {
  const { plan, counted, range, store, stream } = exported;
  const { output } = options;
  const missing = plan.missing.map((each) => ({ ...each, store: store.id, stream: stream.name }));
  const place = output === undefined ? '' : ` are in ${output}`;
  const lines = [
    `${plural(counted.points, 'point')} of ${formatCount(counted.series.size)} series from ${store.id}${place}`,
    ...describeRest(exported, options),
    ...renderGaps(missing),
  ];
  if (options.json)
    print(io, options, {
      json: {
        range: describeRange(range),
        store: store.id,
        stream: stream.name,
        output,
        points: counted.points,
        series: counted.series.size,
        matched: plan.series.length,
        behindSec: plan.behindSec,
        missing: missing.map((each) => ({ series: each.series, ranges: each.ranges.map(describeRange) })),
      },
      lines: () => [],
    });
  else sayLines(io, lines);
  return missing.length > 0 || plan.series.length === 0 ? ExitCode.partial : ExitCode.done;
}

function describeRest({ plan, counted }: Exported, { object, property }: ExportOptions): string[] {
  if (plan.series.length === 0)
    return [
      `no series matches --object ${object} --property ${property}: plantsync discover names what there is`,
    ];
  const empty = plan.series.length - counted.series.size;
  return [
    ...(empty > 0 ? [`without a point in this range: ${formatCount(empty)} more series that match`] : []),
    ...(plan.missing.length > 0
      ? ['the range is not wholly stored; plantsync backfill fills what is missing here:']
      : []),
    ...(plan.behindSec > 0
      ? [`the newest ${Math.ceil(plan.behindSec)} s are not stored yet; the next run reads them`]
      : []),
  ];
}
