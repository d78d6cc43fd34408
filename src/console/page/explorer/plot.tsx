import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartReply } from '../../api/explorer.ts';
import { language, themeInForce, zone } from '../app/settings.ts';
import { type PlotColours, type PlotInput, planPlot } from './plan-plot.ts';

const HEIGHT_PX = 380;

type PlotProps = Pick<PlotInput, 'charts' | 'width' | 'onSelect' | 'onPoint'> & { readonly label: string };

/** One chart of all series. It is drawn again where data, size, theme, language or zone change. */
export function Plot({ charts, width, onSelect, onPoint, label }: PlotProps) {
  const element = useRef<HTMLDivElement>(null);
  const handlers = useRef({ onSelect, onPoint });
  handlers.current = { onSelect, onPoint };
  useEffect(() => {
    if (element.current === null) return undefined;
    const { options, data } = planPlot({
      ...{ charts, width, height: HEIGHT_PX, zone: zone.value, colours: readColours() },
      onSelect: (from, to) => handlers.current.onSelect(from, to),
      onPoint: (at) => handlers.current.onPoint(at),
    });
    const plot = new uPlot(options, data, element.current);
    return () => plot.destroy();
  }, [charts, width, zone.value, language.value, themeInForce.value]);
  return <div ref={element} class="plot" role="img" aria-label={label} />;
}

function readColours(): PlotColours {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour('muted'),
    line: colour('line'),
    gap: colour('broken-soft'),
    gapEdge: colour('broken'),
    unwanted: colour('line'),
    surface: colour('surface'),
    series: ['series-1', 'series-2', 'series-3', 'series-4'].map(colour),
  };
}

/** Tells the value of a chart at an instant: that of the nearest point before, unless a gap lies between. */
export function valueAt(chart: ChartReply, sec: number): string | undefined {
  const at = sec * 1000;
  const isIn = ({ from, to }: { from: string; to: string }) => Date.parse(from) <= at && at < Date.parse(to);
  if ([...chart.gaps, ...chart.unwanted].some(isIn)) return undefined;
  if (chart.kind === 'states') return chart.states.find(isIn)?.state;
  const point = chart.line.findLast(([time]) => Date.parse(time) <= at);
  return point?.[1] === null || point === undefined ? undefined : String(point[1]);
}
