import { nextRunOf, type ScheduleClock } from '../../../../jobs/next-run-of-stream.ts';
import type { StreamStatus } from '../../../sync/status/stream-status.ts';
import { type Column, formatBrief, formatDuration, type Line, makeTable } from '../../output/table.ts';

const DAY_US = 86_400e6;
/** For this long a date needs no year. */
const YEARLESS_US = 300 * DAY_US;

const COLUMNS: readonly (Column | string)[] = [
  'stream',
  { title: 'begun (UTC)', drop: 2 },
  { title: 'took', drop: 1 },
  'outcome',
  'rows',
  { title: 'deleted', drop: 3 },
  { title: '24 h', wrap: 5, drop: 4 },
  'lag',
  'next',
  'rejects',
  { title: 'drift', drop: 5 },
];

/**
 * Renders a line for each stream of the directory. Unknown cells are empty.
 */
export function renderStreams(streams: readonly StreamStatus[], options: ScheduleClock): Line[] {
  if (streams.length === 0) return [];
  const rows = streams.map((stream) => [
    stream.stream,
    stream.last ? formatDay(stream.last.startedAt, options.now) : '',
    stream.last?.finishedAt ? formatDuration((stream.last.finishedAt - stream.last.startedAt) / 1000) : '',
    stream.last?.status ?? '',
    stream.rows?.live ?? '',
    stream.rows?.deleted ?? '',
    describeRecent(stream),
    stream.goodAt === undefined ? '' : formatDuration((options.now - stream.goodAt) / 1000),
    describeNext(stream, options),
    stream.rejects ?? '',
    stream.drift ?? '',
  ]);
  return [
    makeTable(COLUMNS, rows),
    'rows: on the platform now; 24 h: new or restored (+), updated (~), deleted (-); lag: since a run was done, or in part',
  ];
}

function describeNext(stream: StreamStatus, options: ScheduleClock): string {
  if (!stream.enabled) return 'off';
  const next = nextRunOf(stream, options);
  if (next === undefined) return '';
  return next <= options.now ? 'due' : formatDuration((next - options.now) / 1000);
}

function describeRecent({ rows, recent }: StreamStatus): string {
  if (rows === undefined || recent === undefined) return '';
  const counts = [
    ['+', rows.added + recent.restored],
    ['~', recent.updated],
    ['-', recent.deleted],
  ] as const;
  const changed = counts.filter(([, count]) => count > 0);
  return changed.length === 0 ? '0' : changed.map(([sign, count]) => sign + formatBrief(count)).join(' ');
}

/** Formats `05-01 12:03`, or only the day if the year must be shown. */
function formatDay(micros: number, now: number): string {
  const iso = new Date(micros / 1000).toISOString();
  return now - micros > YEARLESS_US ? iso.slice(0, 10) : iso.slice(5, 16).replace('T', ' ');
}
