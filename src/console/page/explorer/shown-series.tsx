import type { ChartReply } from '../../api/explorer.ts';
import type { CurrentReply } from '../../api/explorer-points.ts';
import { useApi } from '../app/api.ts';
import { formatDuration, formatNumber } from '../app/format.ts';
import { explorer } from '../texts/explorer.ts';
import { valueAt } from './plot.tsx';
import { titleOf } from './view.ts';

const EVERY_MS = 5_000;

/** One of the series: its colour, the value below the pointer, its newest polled value, and its points. */
export function ShownSeries(props: {
  name: string;
  place: number;
  chart: ChartReply | undefined;
  at: number | undefined;
  onRemove: () => void;
}) {
  const { name, place, chart, at, onRemove } = props;
  const texts = explorer.value;
  const { data } = useApi<CurrentReply>(`/explorer/current?${new URLSearchParams({ series: name })}`, {
    everyMs: EVERY_MS,
  });
  const pointed = chart === undefined || at === undefined ? undefined : (valueAt(chart, at) ?? '–');
  return (
    <li class={`shown-series series-${place + 1}`}>
      <span class="swatch" aria-hidden="true" />
      <span class="shown-name">
        <strong>{titleOf(name)}</strong>
        <span class="muted">
          {chart !== undefined && describePoints(chart)}
          {chart?.type !== undefined && ` · ${chart.type}`}
        </span>
      </span>
      <span class="shown-value">
        {pointed !== undefined && <code>{pointed}</code>}
        {pointed === undefined && data?.current !== undefined && (
          <>
            <code>{data.current.value ?? data.current.quality}</code>
            <small class="muted">{texts.polled(formatDuration(data.current.ageSec))}</small>
          </>
        )}
        {pointed === undefined && data !== undefined && data.current === undefined && (
          <small class="muted">{texts.never}</small>
        )}
      </span>
      <button type="button" class="icon-button" aria-label={texts.remove(titleOf(name))} onClick={onRemove}>
        ✕
      </button>
    </li>
  );
}

function describePoints({ points, reduced, gaps }: ChartReply): string {
  const texts = explorer.value;
  const parts = [points === 0 ? texts.noPoints : texts.points(formatNumber(points))];
  if (reduced) parts.push(texts.reduced);
  if (gaps.length > 0) parts.push(texts.gaps(formatNumber(gaps.length)));
  return parts.join(' · ');
}
