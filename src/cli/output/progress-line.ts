import { showOnOneLine } from '../../shown-text.ts';
import { formatNumber } from './table.ts';
import { cutColumns, padText, widthOf } from './text-width.ts';

/** How far one piece of work is. */
export interface LineState {
  readonly name: string;
  readonly unit: string;
  readonly done: number;
  /** Undefined where nobody can tell. */
  readonly total: number | undefined;
  readonly seconds: number;
  /** What it has brought so far, if it is counted: its rate is shown in place of the work's. */
  readonly brought?: { readonly count: number; readonly unit: string } | undefined;
  /** How it ended, once it has. */
  readonly note: string | undefined;
}

const nameWidth = 17;
const widestBar = 40;
const narrowestBar = 4;

/** One line of progress that fits into so many columns: the bar takes the room that the figures leave. */
export function renderProgress(state: LineState, columns: number): string {
  const { name, unit, done, total, note } = state;
  const share = total === undefined ? undefined : total > 0 ? Math.min(1, done / total) : 1;
  const counts =
    total === undefined ? formatWhole(done) : `${formatWhole(done)}/${formatWhole(Math.max(done, total))}`;
  const figures = [`${counts} ${unit}`, describeRate(state), note ?? describeRest(state)].filter(
    (figure) => figure !== '',
  );
  const percent = share === undefined ? '' : ` ${Math.floor(share * 100)}%`.padStart(5);
  const text = showOnOneLine(`${percent}  ${figures.join('  ')}`);
  const head = padText(showOnOneLine(name), nameWidth);
  // The last column stays free: some terminals wrap as soon as it is written.
  const room = Math.min(widestBar, columns - 1 - widthOf(head) - 1 - widthOf(text));
  const bar = share === undefined || room < narrowestBar ? '' : drawBar(share, room);
  return cutColumns(`${head} ${bar}${text}`, Math.max(1, columns - 1));
}

function drawBar(share: number, width: number): string {
  const full = Math.floor(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** `91/s`, or `5,431 points/s` where it is counted what the work brings. */
export function describeRate({ done, seconds, brought }: LineState): string {
  const perSecond = (brought?.count ?? done) / Math.max(seconds, 0.001);
  const rate = perSecond < 10 ? formatNumber(perSecond) : formatWhole(perSecond);
  return brought === undefined ? `${rate}/s` : `${rate} ${brought.unit}/s`;
}

/** `14 min left`; empty where nobody can tell. */
export function describeRest({ total, done, seconds }: LineState): string {
  if (total === undefined || done <= 0 || done >= total) return '';
  return `${formatSpan(((total - done) * seconds) / done)} left`;
}

/** `45 s`, `16 min`, `2 h 5 min`, `3 d 4 h`. */
export function formatSpan(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return withRest(`${hours} h`, minutes % 60, 'min');
  return withRest(`${Math.floor(hours / 24)} d`, hours % 24, 'h');
}

function withRest(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text} ${rest} ${unit}`;
}

function formatWhole(value: number): string {
  return formatNumber(Math.round(value));
}
