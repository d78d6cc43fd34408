import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChartReply } from '../../api/explorer.ts';
import { formatTime } from '../app/format.ts';
import { zone } from '../app/settings.ts';
import { useCharts } from '../explorer/charts.ts';
import { secondsOf } from '../explorer/plan-plot.ts';
import { Plot } from '../explorer/plot.tsx';
import { Queries } from '../explorer/queries.tsx';
import { RangeBar } from '../explorer/range-bar.tsx';
import { RawPoints } from '../explorer/raw-points.tsx';
import { Search } from '../explorer/search.tsx';
import { ShownSeries } from '../explorer/shown-series.tsx';
import { isUnchosen, MOST_SERIES, queryOf, titleOf, useView, type View } from '../explorer/view.ts';
import '../explorer/explorer.css';
import { Answered } from '../parts/answered.tsx';
import { explorer as words } from '../texts/explorer.ts';
import { shell } from '../texts/shell.ts';

/** Charts, points and queries of up to four series. */
export default function Explorer() {
  const texts = words.value;
  const [view, change] = useView();
  const csv = `/api/v1/explorer/export?${queryOf(view, { timezone: zone.value })}&${new URLSearchParams(view.series.map((name) => ['series', name]))}`;
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.explorer}</h1>
        {view.series.length > 0 && (
          <a class="button" href={csv} download>
            {texts.csv}
          </a>
        )}
      </div>
      <Search
        isFull={view.series.length >= MOST_SERIES}
        onTake={(name) => change({ series: [...new Set([...view.series, name])] })}
      />
      {view.series.length === 0 ? (
        <p class="muted">{texts.start}</p>
      ) : (
        <>
          <RangeBar view={view} onChange={change} />
          <Chart view={view} onChange={change} />
          <RawPoints view={view} />
          <Queries view={view} />
        </>
      )}
    </>
  );
}

function Chart({ view, onChange }: { view: View; onChange: (change: Partial<View>) => void }) {
  const texts = words.value;
  const frame = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const pointed = useSignal<number | undefined>(undefined);
  useEffect(() => {
    if (frame.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry?.contentRect.width ?? 0);
    });
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [width]);
  const answer = useCharts(view, width.value);
  const lastDay = dayOf(answer.data);
  useLastDay(view, { charts: answer.data, lastDay, onChange });
  const range = answer.data?.[0]?.range;
  const move = (by: (from: number, to: number) => readonly [number, number]) => {
    if (range === undefined) return;
    const [from, to] = by(secondsOf(range.from), secondsOf(range.to));
    onChange({ from: isoOf(from), to: to >= Date.now() / 1000 ? 'now' : isoOf(to) });
  };
  const moves = {
    earlier: () => move((from, to) => [from - (to - from) / 2, to - (to - from) / 2]),
    later: () => move((from, to) => [from + (to - from) / 2, to + (to - from) / 2]),
    zoomIn: () => move((from, to) => [from + (to - from) / 4, to - (to - from) / 4]),
    zoomOut: () => move((from, to) => [from - (to - from) / 2, to + (to - from) / 2]),
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: moves.earlier,
    ArrowRight: moves.later,
    '+': moves.zoomIn,
    '-': moves.zoomOut,
  };
  return (
    <div class="card chart">
      <ul class="shown">
        {view.series.map((name, place) => (
          <ShownSeries
            key={name}
            {...{ name, place, at: pointed.value }}
            chart={answer.data?.find(({ series }) => series === name)}
            onRemove={() => onChange({ series: view.series.filter((other) => other !== name) })}
          />
        ))}
      </ul>
      <div class="chart-tools">
        {(['earlier', 'zoomIn', 'zoomOut', 'later'] as const).map((name) => (
          <button
            key={name}
            type="button"
            class="quiet"
            title={texts[name]}
            aria-label={texts[name]}
            onClick={moves[name]}
          >
            {signs[name]}
          </button>
        ))}
        <span class="gap-key">
          <span class="gap-swatch" aria-hidden="true" />
          {texts.gap}
        </span>
        {answer.data?.some(({ unwanted }) => unwanted.length > 0) && (
          <span class="gap-key">
            <span class="gap-swatch unwanted" aria-hidden="true" />
            {texts.unwanted}
          </span>
        )}
        {answer.isLoading && <span class="muted">{shell.value.loading}</span>}
      </div>
      <section
        ref={frame}
        class="plot-frame"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys below move the chart
        tabIndex={0}
        aria-label={texts.chartHint}
        onKeyDown={(event) => {
          const act = keys[event.key];
          if (act === undefined) return;
          event.preventDefault();
          act();
        }}
      >
        <Answered answer={answer}>
          {(charts) =>
            charts.length > 0 && (
              <Plot
                charts={charts}
                width={width.value}
                label={texts.chart(charts.map(({ series }) => titleOf(series)).join(', '))}
                onSelect={(from, to) => onChange({ from: isoOf(from), to: isoOf(to) })}
                onPoint={(at) => {
                  pointed.value = at;
                }}
              />
            )
          }
        </Answered>
      </section>
      {lastDay !== undefined && (
        <p>
          {texts.newest(formatTime(lastDay.newest))}{' '}
          <button type="button" class="quiet" onClick={() => onChange(lastDay.view)}>
            {texts.lastDay}
          </button>
        </p>
      )}
      <p class="muted hint">{texts.chartHint}</p>
    </div>
  );
}

/** The last day with points before the range, if the range has none of any series. */
function dayOf(charts: readonly ChartReply[] | undefined) {
  if (charts === undefined || charts.some(({ points }) => points > 0)) return undefined;
  const [newest] = charts
    .flatMap((chart) => chart.newest ?? [])
    .sort()
    .reverse();
  if (newest === undefined) return undefined;
  const end = secondsOf(newest) + 60;
  return { newest, view: { from: isoOf(end - 86_400), to: isoOf(end) } };
}

/** Shows the last stored day if nobody has chosen a range, and the last 24 hours have no points. */
function useLastDay(
  view: View,
  {
    charts,
    lastDay,
    onChange,
  }: {
    readonly charts: readonly ChartReply[] | undefined;
    readonly lastDay: ReturnType<typeof dayOf>;
    readonly onChange: (change: Partial<View>) => void;
  },
): void {
  const isDecided = useRef(!isUnchosen(view));
  useEffect(() => {
    if (charts === undefined || charts.length === 0 || isDecided.current) return;
    isDecided.current = true;
    if (lastDay !== undefined && isUnchosen(view)) onChange(lastDay.view);
  }, [charts]);
}

const signs = { earlier: '◀', zoomIn: '+', zoomOut: '−', later: '▶' } as const;

const isoOf = (sec: number): string => new Date(Math.round(sec * 1000)).toISOString();
