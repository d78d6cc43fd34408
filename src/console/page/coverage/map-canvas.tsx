import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { formatTime } from '../app/format.ts';
import { themeInForce } from '../app/settings.ts';
import { coverage } from '../texts/coverage.ts';
import { drawMap, type Layout, layoutOf } from './draw-map.ts';
import { cellAt, type MapCanvasProps } from './map-cell.ts';
import { useMapEvents } from './map-events.ts';
import { placeOf, type Tick, ticksOf, type View } from './time-view.ts';

/** Pixels of a cell. */
const CELL_WIDTH = 3;
const MOST_HEIGHT = 560;

/** The picture of the map: only the rows that are seen are drawn. */
export function MapCanvas(props: MapCanvasProps) {
  const { rows, view, cursor, summary } = props;
  const scroller = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const layout = useComputed(() => layoutOf(size.value.width, size.value.height));
  const ticks = ticksOf(view, (layout.value.plotRight - layout.value.plotLeft) / 90, formatTime);
  const draw = useDrawing({ scroller, canvas, layout: layout.value, props, ticks });
  useSize(scroller, size, props.onColumns);
  useMapEvents({ scroller, layout: layout.value, props });
  const { rowHeight } = layout.value;
  return (
    <div class="map">
      <Axis layout={layout.value} view={view} ticks={ticks} />
      <section
        ref={scroller}
        class="map-rows"
        style={{ height: `${Math.min(MOST_HEIGHT, Math.max(1, rows.total) * rowHeight)}px` }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move through the cells
        tabIndex={0}
        aria-label={`${coverage.value.map}. ${coverage.value.keys}`}
        onScroll={() => {
          // The pointer is over another row now.
          if (cursor.value?.byKeys === false) cursor.value = undefined;
          draw();
        }}
        onBlur={() => {
          cursor.value = undefined;
        }}
      >
        <div style={{ height: `${rows.total * rowHeight}px` }}>
          <canvas ref={canvas} role="img" aria-label={summary || coverage.value.map} />
        </div>
      </section>
    </div>
  );
}

function Axis({ layout, view, ticks }: { layout: Layout; view: View; ticks: readonly Tick[] }) {
  const width = layout.plotRight - layout.plotLeft;
  return (
    <div class="map-axis" aria-hidden="true">
      {ticks.map(({ at, label }) => (
        <span key={at} style={{ left: `${layout.plotLeft + placeOf(view, at) * width}px` }}>
          {label}
        </span>
      ))}
    </div>
  );
}

interface Drawing {
  readonly scroller: { readonly current: HTMLElement | null };
  readonly canvas: { readonly current: HTMLCanvasElement | null };
  readonly layout: Layout;
  readonly props: MapCanvasProps;
  readonly ticks: readonly Tick[];
}

/** Draws at most once for each frame of the screen. The result asks for a drawing. */
function useDrawing({ scroller, canvas, layout, props, ticks }: Drawing): () => void {
  const frame = useRef(0);
  const latest = useRef<() => void>(() => undefined);
  latest.current = () => {
    const [scrolled, picture] = [scroller.current, canvas.current];
    if (scrolled === null || picture === null || layout.width === 0) return;
    const { scrollTop } = scrolled;
    const { rows, view, cursor, nameOf, shareOf } = props;
    rows.need(
      Math.floor(scrollTop / layout.rowHeight),
      Math.ceil((scrollTop + layout.height) / layout.rowHeight),
    );
    const at = cursor.value;
    const cell = at && cellAt(rows, at.index, at.time);
    const mark = cell && { row: cell.index, range: cell.range };
    drawMap(picture, { layout, view, rows, ticks, scrollTop, mark, nameOf, shareOf });
  };
  const draw = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => latest.current());
  };
  const { cursor } = props;
  useLayoutEffect(draw);
  useEffect(() => cursor.subscribe(draw), [cursor]);
  useEffect(() => {
    const stop = themeInForce.subscribe(draw);
    return () => {
      stop();
      cancelAnimationFrame(frame.current);
    };
  }, []);
  return draw;
}

function useSize(
  scroller: Drawing['scroller'],
  size: Signal<{ width: number; height: number }>,
  onColumns: (columns: number) => void,
): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      const [width, height] = [element.clientWidth, element.clientHeight];
      if (width === size.value.width && height === size.value.height) return;
      size.value = { width, height };
      const { plotLeft, plotRight } = layoutOf(width, height);
      onColumns(Math.max(40, Math.floor((plotRight - plotLeft) / CELL_WIDTH)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}
