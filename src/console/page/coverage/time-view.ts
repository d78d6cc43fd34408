/** A range of time that is shown, in epoch milliseconds. */
export interface View {
  readonly from: number;
  readonly to: number;
}

const SHORTEST_MS = 60_000;
const LONGEST_MS = 30 * 365.25 * 86_400_000;

export const spanOf = ({ from, to }: View): number => to - from;

/** Makes a view with a span that is allowed, around a place from 0 (its begin) to 1 (its end). */
export function zoom(view: View, factor: number, place = 0.5): View {
  const before = spanOf(view);
  const span = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, before * factor));
  const from = view.from + (before - span) * place;
  return { from, to: from + span };
}

/** Moves a view by a share of its span. */
export function pan({ from, to }: View, share: number): View {
  const by = (to - from) * share;
  return { from: from + by, to: to + by };
}

/** Returns how far right a time lies in a view: 0 at the begin, 1 at the end. */
export const placeOf = (view: View, time: number): number => (time - view.from) / spanOf(view);

const SEC = 1_000;
const MIN = 60 * SEC;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const steps = [
  ...[SEC, 5 * SEC, 15 * SEC, 30 * SEC, MIN, 5 * MIN, 15 * MIN, 30 * MIN],
  ...[HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY],
];
const monthSteps = [1, 3, 6, 12, 24, 60, 120];
const MONTH = 30.44 * DAY;

export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** Writes a time in the zone that is chosen, as `2026-11-29 12:03:20`. */
export type WriteTime = (time: number) => string;

/** Places ticks at round times of the zone that `write` writes in, at most so many. */
export function ticksOf(view: View, most: number, write: WriteTime): Tick[] {
  const least = spanOf(view) / Math.max(1, most);
  const step = steps.find((each) => each >= least);
  if (step !== undefined) return evenTicks(view, step, write);
  const months = monthSteps.find((each) => each * MONTH >= least) ?? 240;
  return monthTicks(view, months, write);
}

/** Returns how far the clocks of the zone are ahead of UTC. */
function offsetAt(time: number, write: WriteTime): number {
  return Date.parse(`${write(time).replace(' ', 'T')}Z`) - Math.floor(time / SEC) * SEC;
}

function evenTicks({ from, to }: View, step: number, write: WriteTime): Tick[] {
  const ticks: Tick[] = [];
  const offset = offsetAt(from, write);
  for (let local = Math.ceil((from + offset) / step) * step; local - offset < to; local += step) {
    // Clocks may change within the view.
    const at = local - offsetAt(local - offset, write);
    const [date = '', time = ''] = write(at).split(' ');
    const label = time === '00:00:00' ? date : step < MIN ? time : time.slice(0, 5);
    ticks.push({ at, label });
  }
  return ticks;
}

function monthTicks({ from, to }: View, months: number, write: WriteTime): Tick[] {
  const [year = 0, month = 1] = write(from).split('-').map(Number);
  const ticks: Tick[] = [];
  for (let k = Math.floor((year * 12 + month - 1) / months) * months; ; k += months) {
    const local = Date.UTC(Math.floor(k / 12), k % 12);
    const at = local - offsetAt(local, write);
    if (at >= to) return ticks;
    const [y = '', m = ''] = write(at).split('-');
    if (at >= from) ticks.push({ at, label: m === '01' ? y : `${y}-${m}` });
  }
}

/** Reads a range of the API. */
export function viewOf({ from, to }: { readonly from: string; readonly to: string }): View {
  return { from: Date.parse(from), to: Date.parse(to) };
}
