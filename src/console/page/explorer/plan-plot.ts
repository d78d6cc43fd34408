import uPlot from 'uplot';
import type { ChartReply } from '../../api/explorer.ts';
import { formatTime } from '../app/format.ts';

/** Height of the strip of one series of states. */
const STRIP_PX = 22;
/** Height of the lane in which the gaps of one series are marked. */
const LANE_PX = 3;
/** The most axes of values on a narrow chart. */
const NARROW_PX = 600;

/** The colours of a theme, as CSS has them. */
export interface PlotColours {
  readonly text: string;
  readonly line: string;
  readonly gap: string;
  readonly gapEdge: string;
  /** Of what no selection asks for. */
  readonly unwanted: string;
  readonly surface: string;
  readonly series: readonly string[];
}

export interface PlotInput {
  readonly charts: readonly ChartReply[];
  readonly colours: PlotColours;
  readonly zone: string;
  readonly width: number;
  readonly height: number;
  /** Is told the range that somebody has chosen with the pointer, in epoch seconds. */
  readonly onSelect: (from: number, to: number) => void;
  /** Is told the instant below the pointer in epoch seconds; undefined if there is none. */
  readonly onPoint: (at: number | undefined) => void;
}

export const secondsOf = (iso: string): number => Date.parse(iso) / 1000;

/** Makes the options and data of one chart: lines with an axis each, and strips of states above them. */
export function planPlot(input: PlotInput): { options: uPlot.Options; data: uPlot.AlignedData } {
  const { charts, colours, width, height, zone } = input;
  const numbers = charts
    .map((chart, place) => ({ chart, place }))
    .filter(({ chart }) => chart.kind === 'numbers');
  const strips = charts.length - numbers.length;
  const colourOf = (place: number) => colours.series[place] ?? colours.text;
  const options: uPlot.Options = {
    width,
    height,
    tzDate: (sec) => uPlot.tzDate(new Date(sec * 1000), zone),
    legend: { show: false },
    cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
    scales: {
      x: { time: true, range: () => rangeOf(charts) },
      ...Object.fromEntries(numbers.map(({ place }) => [`y${place}`, { range: makeRoom(strips) }])),
    },
    axes: [
      {
        stroke: colours.text,
        grid: { stroke: colours.line, width: 1 },
        ticks: { stroke: colours.line },
        values: (_, splits) => splits.map((sec, k) => labelOf(sec, splits[k - 1], splits)),
        space: 84,
      },
      ...numbers.map(
        ({ place }, k): uPlot.Axis => ({
          scale: `y${place}`,
          side: k % 2 === 0 ? 3 : 1,
          stroke: colourOf(place),
          grid: { show: k === 0, stroke: colours.line, width: 1 },
          ticks: { stroke: colours.line },
          show: width > NARROW_PX || k < 2,
          values: (_, splits) => splits.map((value) => labelOfNumber(value, splits)),
          size: (plot, values, axis) => widthOf(plot, values ?? [], axis),
        }),
      ),
    ],
    series: [
      {},
      ...numbers.map(
        ({ chart, place }): uPlot.Series => ({
          scale: `y${place}`,
          label: `${chart.object} ${chart.property}`,
          stroke: colourOf(place),
          width: 1.5,
          spanGaps: false,
          ...(chart.line.length < width / 6 && { points: { show: true } }),
        }),
      ),
    ],
    hooks: {
      drawClear: [(plot) => drawGaps(plot, charts, colours)],
      draw: [(plot) => drawStates(plot, charts, colours)],
      setSelect: [
        (plot) => {
          if (plot.select.width < 4) return;
          const at = (px: number) => plot.posToVal(px, 'x');
          input.onSelect(at(plot.select.left), at(plot.select.left + plot.select.width));
        },
      ],
      setCursor: [
        ({ cursor, posToVal }) =>
          input.onPoint(
            cursor.left === undefined || cursor.left < 0 ? undefined : posToVal(cursor.left, 'x'),
          ),
      ],
    },
  };
  return {
    options,
    data: dataOf(
      numbers.map(({ chart }) => chart),
      charts,
    ),
  };
}

function rangeOf(charts: readonly ChartReply[]): [number, number] {
  const range = charts[0]?.range;
  return range === undefined ? [0, 1] : [secondsOf(range.from), secondsOf(range.to)];
}

/** Points that one series lacks do not end its line; a null of its own does. */
function dataOf(lines: readonly ChartReply[], all: readonly ChartReply[]): uPlot.AlignedData {
  const tables = lines
    .filter(({ line }) => line.length > 0)
    .map(
      ({ line }): uPlot.AlignedData => [line.map(([at]) => secondsOf(at)), line.map(([, value]) => value)],
    );
  if (tables.length === lines.length && tables.length > 0) return uPlot.join(tables);
  const [from, to] = rangeOf(all);
  const empty: uPlot.AlignedData = [
    [from, to],
    [null, null],
  ];
  const filled = lines.map(
    ({ line }): uPlot.AlignedData =>
      line.length === 0 ? empty : [line.map(([at]) => secondsOf(at)), line.map(([, value]) => value)],
  );
  return filled.length === 0 ? [[from, to]] : uPlot.join(filled);
}

/** Labels a tick of an axis with as many digits as tell it from its neighbours. */
function labelOfNumber(value: number, splits: readonly number[]): string {
  const step = Math.abs((splits[1] ?? 0) - (splits[0] ?? 0)) || 1;
  const size = Math.max(...splits.map(Math.abs));
  const digits = Math.min(17, Math.max(1, Math.ceil(Math.log10(size / step)) + 2));
  const rounded = Number(value.toPrecision(digits));
  return Math.abs(rounded) < step * 1e-6 ? '0' : String(rounded);
}

/** Returns the width that the longest label of an axis needs. */
function widthOf({ ctx, axes }: uPlot, labels: readonly string[], axis: number): number {
  const longest = labels.reduce((most, label) => (label.length > most.length ? label : most), '');
  const font = axes[axis]?.font as unknown as readonly string[] | undefined;
  ctx.font = font?.[0] ?? ctx.font;
  return Math.ceil(ctx.measureText(longest).width / devicePixelRatio) + 20;
}

/** Keeps the lines below the strips of states. */
function makeRoom(strips: number): uPlot.Scale.Range {
  return (plot, min, max) => {
    if (min === null || max === null) return [0, 1];
    const padding = (max - min) * 0.06 || Math.abs(max) * 0.01 || 1;
    const [low, high] = [min - padding, max + padding];
    const heightPx = plot.bbox.height / devicePixelRatio || 1;
    const share = Math.min(0.7, (strips * STRIP_PX) / heightPx);
    return [low, low + (high - low) / (1 - share)];
  };
}

/** Labels a tick with as much of the time as the distance of the ticks needs, and with a new date. */
function labelOf(sec: number, before: number | undefined, splits: readonly number[]): string {
  const distance = (splits[1] ?? sec + 1) - (splits[0] ?? sec);
  const [day = '', time = ''] = formatTime(sec * 1000).split(' ');
  if (distance >= 28 * 86_400) return day.slice(0, 7);
  if (distance >= 86_400) return day;
  const short = distance >= 60 ? time.slice(0, 5) : time;
  const isNewDay = before === undefined || !formatTime(before * 1000).startsWith(day);
  return isNewDay ? `${short}\n${day}` : short;
}

/**
 * Colours what no series has over the whole height, and what one series lacks in a lane at the bottom. What
 * nobody asks for has a colour of its own.
 */
function drawGaps(plot: uPlot, charts: readonly ChartReply[], colours: PlotColours): void {
  const { ctx, bbox } = plot;
  const lane = LANE_PX * devicePixelRatio;
  const fill = (
    { from, to }: Gap,
    { top, height, colour }: { top: number; height: number; colour: string },
  ) => {
    const left = plot.valToPos(from, 'x', true);
    ctx.fillStyle = colour;
    ctx.fillRect(left, top, Math.max(1, plot.valToPos(to, 'x', true) - left), height);
  };
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const inSeconds = (ranges: ChartReply['gaps']): Gap[] =>
    ranges.map(({ from, to }) => ({ from: secondsOf(from), to: secondsOf(to) }));
  const commonOf = (sets: readonly Gap[][]) => sets.reduce(intersectGaps, sets[0] ?? []);
  const all = charts.map(({ gaps }) => inSeconds(gaps));
  for (const range of commonOf(charts.map(({ unwanted }) => inSeconds(unwanted))))
    fill(range, { top: bbox.top, height: bbox.height, colour: colours.unwanted });
  for (const gap of commonOf(all)) fill(gap, { top: bbox.top, height: bbox.height, colour: colours.gap });
  for (const [place, gaps] of all.entries()) {
    const colour = all.length === 1 ? colours.gapEdge : (colours.series[place] ?? colours.gapEdge);
    const top = bbox.top + bbox.height - (all.length - place) * lane;
    for (const gap of gaps) fill(gap, { top, height: lane, colour });
  }
  ctx.restore();
}

interface Gap {
  readonly from: number;
  readonly to: number;
}

function intersectGaps(some: readonly Gap[], others: readonly Gap[]): Gap[] {
  return some.flatMap((gap) =>
    others
      .map((other) => ({ from: Math.max(gap.from, other.from), to: Math.min(gap.to, other.to) }))
      .filter(({ from, to }) => from < to),
  );
}

function drawStates(plot: uPlot, charts: readonly ChartReply[], colours: PlotColours): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const all = charts.map((chart, place) => ({ chart, place })).filter(({ chart }) => chart.kind === 'states');
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const [row, { chart, place }] of all.entries()) {
    const top = bbox.top + (row * STRIP_PX + 2) * ratio;
    const height = (STRIP_PX - 4) * ratio;
    const tones = toneOf(chart);
    for (const { from, to, state } of chart.states) {
      const left = Math.max(bbox.left, plot.valToPos(secondsOf(from), 'x', true));
      const width = Math.max(1, plot.valToPos(secondsOf(to), 'x', true) - left);
      ctx.globalAlpha = state === undefined ? 0.5 : (tones.get(state) ?? 0.3);
      ctx.fillStyle = state === undefined ? colours.text : (colours.series[place] ?? colours.text);
      ctx.fillRect(left, top, width, height);
      ctx.globalAlpha = 1;
      if (state === undefined || ctx.measureText(state).width + 8 * ratio > width) continue;
      ctx.fillStyle = (tones.get(state) ?? 0) > 0.5 ? colours.surface : colours.text;
      ctx.fillText(state, left + 4 * ratio, top + height / 2);
    }
  }
  ctx.restore();
}

/** Gives each state a tone: `false` and the first one are faint, the others get stronger. */
function toneOf({ states }: ChartReply): Map<string, number> {
  const known = [...new Set(states.flatMap(({ state }) => state ?? []))].sort();
  const tones = [0.18, 0.85, 0.4, 0.65, 0.28, 0.52];
  return new Map(known.map((state, k) => [state, tones[k % tones.length] as number]));
}
