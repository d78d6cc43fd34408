import { useEffect, useRef } from 'preact/hooks';
import type { Layout } from './draw-map.ts';
import { cellAt, type MapCanvasProps } from './map-cell.ts';
import { pan, placeOf, spanOf, type View, zoom } from './time-view.ts';

interface MapEvents {
  readonly scroller: { readonly current: HTMLElement | null };
  readonly layout: Layout;
  readonly props: MapCanvasProps;
}

/** Pixels that a pointer may move in a click. */
const CLICK_PX = 5;
const ZOOM_STEP = 1.6;

/** Lets people move in the map: with wheel, drag, pinch, clicks and keys. */
export function useMapEvents(events: MapEvents): void {
  const latest = useRef(events);
  latest.current = events;
  useEffect(() => {
    const element = events.scroller.current;
    if (element === null) return undefined;
    const hand = new Hand(() => latest.current);
    const end = new AbortController();
    const { signal } = end;
    element.addEventListener('wheel', (event) => hand.wheel(event), { signal, passive: false });
    element.addEventListener('pointerdown', (event) => hand.down(event), { signal });
    element.addEventListener('pointermove', (event) => hand.move(event), { signal });
    element.addEventListener('pointerup', (event) => hand.up(event), { signal });
    element.addEventListener('pointercancel', (event) => hand.up(event), { signal });
    element.addEventListener('pointerleave', () => hand.leave(), { signal });
    element.addEventListener('keydown', (event) => hand.key(event), { signal });
    return () => end.abort();
  }, []);
}

interface Pointer {
  readonly x: number;
  readonly y: number;
}

/** Turns what hands do into views, cells and rows. */
class Hand {
  readonly #now: () => MapEvents;
  readonly #pointers = new Map<number, Pointer>();
  #begun: { readonly view: View; readonly at: Pointer; readonly gap: number } | undefined;
  #hasMoved = false;

  constructor(now: () => MapEvents) {
    this.#now = now;
  }

  wheel(event: WheelEvent): void {
    const { scroller, props } = this.#now();
    const element = scroller.current as HTMLElement;
    const canScroll = element.scrollHeight > element.clientHeight + 1;
    const isZoom = event.ctrlKey || event.metaKey || event.altKey || !canScroll;
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isSideways) {
      event.preventDefault();
      props.onView(pan(props.view, (event.deltaX || event.deltaY) / this.#width()));
    } else if (isZoom) {
      event.preventDefault();
      const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240)));
      props.onView(zoom(props.view, factor, this.#placeOf(event)));
    }
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#begin();
    this.#hasMoved = this.#pointers.size > 1;
  }

  move(event: PointerEvent): void {
    const known = this.#pointers.get(event.pointerId);
    if (known === undefined) {
      this.#hover(event);
      return;
    }
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const begun = this.#begun;
    if (begun === undefined) return;
    const { at, gap } = this.#centre();
    if (!this.#hasMoved && Math.abs(at.x - begun.at.x) < CLICK_PX) return;
    if (!this.#hasMoved) (event.currentTarget as Element).setPointerCapture(event.pointerId);
    this.#hasMoved = true;
    const { props } = this.#now();
    props.cursor.value = undefined;
    const place = this.#placeOf({ clientX: begun.at.x });
    const zoomed = gap > 0 && begun.gap > 0 ? zoom(begun.view, begun.gap / gap, place) : begun.view;
    props.onView(pan(zoomed, (begun.at.x - at.x) / this.#width()));
  }

  up(event: PointerEvent): void {
    const wasDown = this.#pointers.delete(event.pointerId);
    if (wasDown && !this.#hasMoved && event.type === 'pointerup') this.#click(event);
    if (this.#pointers.size > 0) this.#begin();
    else this.#begun = undefined;
  }

  leave(): void {
    const { cursor } = this.#now().props;
    if (!cursor.value?.byKeys) cursor.value = undefined;
  }

  key(event: KeyboardEvent): void {
    const { props } = this.#now();
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      PageUp: [-10, 0],
      PageDown: [10, 0],
    };
    const move = moves[event.key];
    const at = props.cursor.value;
    const place = at === undefined ? 0.5 : placeOf(props.view, at.time);
    if (move !== undefined) this.#step(...move);
    else if (event.key === '+' || event.key === '=') props.onView(zoom(props.view, 1 / ZOOM_STEP, place));
    else if (event.key === '-') props.onView(zoom(props.view, ZOOM_STEP, place));
    else if (event.key === 'Backspace') props.onBack();
    else if (event.key === 'Enter' && at !== undefined) this.#pick(at.index, at.time);
    else if (event.key === 'Escape') props.cursor.value = undefined;
    else return;
    event.preventDefault();
  }

  /** Moves the mark of the keyboard by rows and cells. The view and the rows follow it. */
  #step(rows: number, cells: number): void {
    const { scroller, layout, props } = this.#now();
    const element = scroller.current as HTMLElement;
    const { view, cursor } = props;
    const first = Math.ceil(element.scrollTop / layout.rowHeight);
    const at = cursor.value ?? { index: first, time: (view.from + view.to) / 2 };
    const isFirst = cursor.value === undefined;
    const index = Math.max(0, Math.min(props.rows.total - 1, at.index + (isFirst ? 0 : rows)));
    const cellMs = spanOf(view) / Math.max(1, props.rows.at(index)?.row.cells.length ?? 100);
    const time = at.time + (isFirst ? 0 : cells * cellMs);
    const place = placeOf(view, time);
    if (place < 0 || place > 1) props.onView(pan(view, place < 0 ? -0.5 : 0.5));
    const top = index * layout.rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + layout.rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + layout.rowHeight - element.clientHeight;
    const x = layout.plotLeft + Math.max(0, Math.min(1, place)) * this.#width();
    cursor.value = { index, time, x, y: top - element.scrollTop + layout.rowHeight, byKeys: true };
  }

  #hover(event: PointerEvent): void {
    if (event.pointerType === 'touch') return;
    const { cursor } = this.#now().props;
    cursor.value = this.#find(event);
  }

  #click(event: PointerEvent): void {
    const { layout, props } = this.#now();
    const at = this.#find(event);
    const known = at && props.rows.at(at.index);
    if (at === undefined || known === undefined) return;
    const { offsetInRow, x } = this.#inMap(event);
    const isName = layout.plotLeft > 0 ? x < layout.plotLeft : offsetInRow < layout.barTop;
    props.cursor.value = at;
    if (isName) props.onOpen(known.row);
    else this.#pick(at.index, at.time);
  }

  #pick(index: number, time: number): void {
    const { props } = this.#now();
    const cell = cellAt(props.rows, index, time);
    if (cell !== undefined) props.onPick(cell);
  }

  #find(event: { clientX: number; clientY: number }) {
    const { props } = this.#now();
    const { index, x, y } = this.#inMap(event);
    if (index < 0 || index >= props.rows.total) return undefined;
    const time = props.view.from + this.#placeOf(event) * spanOf(props.view);
    return { index, time, x, y, byKeys: false };
  }

  #inMap({ clientX, clientY }: { clientX: number; clientY: number }) {
    const { scroller, layout } = this.#now();
    const element = scroller.current as HTMLElement;
    const box = element.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    const down = y + element.scrollTop;
    return { x, y, index: Math.floor(down / layout.rowHeight), offsetInRow: down % layout.rowHeight };
  }

  #placeOf({ clientX }: { clientX: number }): number {
    const { scroller, layout } = this.#now();
    const left = (scroller.current as HTMLElement).getBoundingClientRect().left + layout.plotLeft;
    return (clientX - left) / this.#width();
  }

  #width(): number {
    const { layout } = this.#now();
    return Math.max(1, layout.plotRight - layout.plotLeft);
  }

  #begin(): void {
    const { props } = this.#now();
    this.#begun = { view: props.view, ...this.#centre() };
  }

  /** The middle of all pointers that are down, and the distance between two of them. */
  #centre(): { at: Pointer; gap: number } {
    const [one, two] = [...this.#pointers.values()];
    if (one === undefined) return { at: { x: 0, y: 0 }, gap: 0 };
    if (two === undefined) return { at: one, gap: 0 };
    return {
      at: { x: (one.x + two.x) / 2, y: (one.y + two.y) / 2 },
      gap: Math.max(1, Math.hypot(one.x - two.x, one.y - two.y)),
    };
  }
}
