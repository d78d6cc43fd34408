import type { RunSummary } from '../../sync/run-summary.ts';
import { type Column, formatNumber, type Line, makeTable } from './table.ts';

const COLUMNS: readonly (Column | string)[] = [
  'stream',
  { title: 'records', drop: 3 },
  { title: 'rows', drop: 5 },
  { title: 'changed', drop: 4 },
  { title: 'deleted', drop: 5 },
  { title: 'points', wrap: 14 },
  'rejects',
  { title: 'requests', drop: 1 },
  { title: 'seconds', drop: 2 },
  'status',
];

/**
 * Renders the closing table of a command: a line for each stream, and below it each problem in one sentence.
 */
export function renderSummary(summaries: readonly RunSummary[]): Line[] {
  const rows = summaries.map((summary) => [
    nameOf(summary, summaries),
    summary.records,
    summary.inserted + summary.updated + summary.unchanged,
    summary.inserted + summary.updated,
    summary.deleted,
    countPoints(summary),
    summary.rejects,
    summary.requests,
    summary.seconds,
    summary.status,
  ]);
  const sentences = summaries.flatMap(({ stream, problems, notes }) => [
    ...problems.map((problem) => `${stream}: ${problem}`),
    ...notes.map((note) => `${stream}: (note) ${note}`),
  ]);
  return [makeTable(COLUMNS, rows), ...(sentences.length > 0 ? ['', ...sentences] : [])];
}

/** Names a run by its stream, and by its kind if several runs of the stream are shown. */
function nameOf({ stream, kind }: RunSummary, all: readonly RunSummary[]): string {
  const isAlone = all.filter((other) => other.stream === stream).length === 1;
  return isAlone || kind === undefined ? stream : `${stream} (${kind})`;
}

/** Formats points as `1,200 postgres + 1,200 influx`. The numbers differ only while a store is behind. */
function countPoints({ points }: RunSummary): string {
  const counts = Object.entries(points).map(([store, count]) => `${formatNumber(count)} ${store}`);
  return counts.join(' + ');
}
