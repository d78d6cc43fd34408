import type { Config } from '../../../config/config-schema.ts';
import { formatInstant } from '../../../series/instant.ts';
import { nameOfSelection } from '../../../sync/selection/series-catalog.ts';
import type { HistoryGaps } from '../../../sync/status/history-gaps.ts';
import type { GapSummary } from '../../../sync/status/sum-up-gaps.ts';
import { describeCoverage } from '../../output/render-gaps.ts';
import { type Line, makeTable } from '../../output/table.ts';
import { formatSecond } from '../../output/time.ts';

/** Returns a sum of gaps with times as texts. */
export function describeSum({ oldest, ...sum }: HistoryGaps) {
  return { ...sum, oldest: oldest === undefined ? undefined : formatInstant(oldest) };
}

/** Renders the sums of gaps: a line for each selection, stream and store. */
export function renderSums(found: GapSummary, { runtime }: Pick<Config, 'runtime'>): Line[] {
  const nameOf = (selection: string) => {
    const own = runtime[Number(selection) - 1];
    return own === undefined ? selection : nameOfSelection(own);
  };
  const rows = found.sums.map(({ selection, stream, store, wanted, series, hours, oldest }) => [
    nameOf(selection),
    stream,
    store,
    wanted,
    series,
    hours,
    oldest === undefined ? '' : formatSecond(oldest),
  ]);
  const columns = [
    { title: 'selection', cut: 12 },
    { title: 'stream', wrap: 8, drop: 1 },
    { title: 'store', cut: 8 },
    'series',
    'with gaps',
    'gap hours',
    { title: 'oldest gap', drop: 2 },
  ];
  const isComplete = found.sums.every(({ series }) => series === 0);
  return [
    ...(rows.length > 0 ? [makeTable(columns, rows)] : []),
    ...describeCoverage({ ...found, count: isComplete ? 0 : undefined }),
  ];
}
