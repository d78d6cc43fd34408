import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { CoverageGaps } from '../../api/coverage.ts';
import { ask } from '../app/api.ts';
import { formatNumber, formatShare, formatTime } from '../app/format.ts';
import { coverage } from '../texts/coverage.ts';
import { type Cell, type Cursor, cellAt } from './map-cell.ts';
import { gapsPath, type MapChoice } from './map-state.ts';
import type { RowStore } from './row-store.ts';

/** Waits this long before the exact gaps are asked for, so that a moving pointer asks nothing. */
const REST_MS = 150;
const SHOWN_GAPS = 3;
const TIP_WIDTH = 300;

export interface MapTipProps {
  readonly cursor: ReadonlySignal<Cursor | undefined>;
  readonly rows: RowStore;
  readonly choice: MapChoice;
  readonly canFill: boolean;
  readonly nameOf: (row: Cell['row']) => string;
}

/** Tells what the cell under the pointer or the keyboard is: series, store, share and exact gaps. */
export function MapTip({ cursor, rows, choice, canFill, nameOf }: MapTipProps) {
  const at = cursor.value;
  const cell = at && cellAt(rows, at.index, at.time);
  const gaps = useGaps(choice, cell);
  const texts = coverage.value;
  if (at === undefined || cell === undefined) return null;
  const { row, range, share } = cell;
  const left = Math.max(0, Math.min(at.x + 12, document.documentElement.clientWidth - TIP_WIDTH - 24));
  return (
    <div class="map-tip" role="status" style={{ left: `${left}px`, top: `${at.y + 44}px` }}>
      <strong>{nameOf(row)}</strong>
      {choice.groupBy === 'none' && row.title?.trim() && <div class="muted">{row.title}</div>}
      <div>
        {texts.seriesCount(formatNumber(row.series))} · {choice.store}
      </div>
      <div class="muted">
        {formatTime(range.from)} … {formatTime(range.to)}
      </div>
      <div>{describeShare(share, cell.kept)}</div>
      {gaps?.items.slice(0, SHOWN_GAPS).map((gap) => (
        <div key={`${gap.from} ${gap.to}`} class="map-tip-gap">
          {texts.missingFrom(formatTime(gap.from), formatTime(gap.to))}
          {row.series > 1 && texts.ofSeries(formatNumber(gap.series))}
        </div>
      ))}
      {gaps !== undefined && gaps.items.length > SHOWN_GAPS && <div class="muted">{texts.moreGaps}</div>}
      {canFill && share !== null && share < 1 && <div class="muted">{texts.clickToFill}</div>}
    </div>
  );
}

function describeShare(share: number | null, kept: number): string {
  const texts = coverage.value;
  if (share === null) return kept > 0 ? texts.legend.kept : texts.notWanted;
  if (share === 0) return texts.nothingStored;
  return share === 1 ? texts.complete : texts.storedShare(formatShare(share));
}

function useGaps(choice: MapChoice, cell: Cell | undefined): CoverageGaps | undefined {
  const isPart = cell !== undefined && cell.share !== null && cell.share < 1;
  const path = isPart ? gapsPath(choice, cell, SHOWN_GAPS + 1) : undefined;
  const [found, setFound] = useState<{ path: string; gaps: CoverageGaps }>();
  useEffect(() => {
    if (path === undefined) return undefined;
    const ending = new AbortController();
    const timer = setTimeout(() => {
      // The picture says what is missing, also without the exact times.
      ask<CoverageGaps>(path, { signal: ending.signal }).then(
        (gaps) => setFound({ path, gaps }),
        () => undefined,
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [path]);
  return found !== undefined && found.path === path ? found.gaps : undefined;
}
