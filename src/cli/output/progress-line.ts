import { showOnOneLine } from '../../shown-text.ts';
import { formatDuration, formatNumber } from './table.ts';
import { cutColumns, padText, widthOf } from './text-width.ts';

/** The progress of one piece of work. */
export interface LineState {
  readonly name: string;
  readonly unit: string;
  readonly done: number;
  /** The amount of all work. Undefined where nobody can tell. */
  readonly total: number | undefined;
  readonly seconds: number;
  /**
   * The things that the work has brought, if they are counted. Their rate is shown instead of that of the
   * work.
   */
  readonly brought?: { readonly count: number; readonly unit: string } | undefined;
  /** How the work ended. Undefined before its end. */
  readonly note: string | undefined;
}

const NAME_WIDTH = 17;
const WIDEST_BAR = 40;
const NARROWEST_BAR = 4;

/**
 * Renders one line of progress that fits into this many columns. The bar takes the room that the figures
 * leave.
 */
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
  const head = padText(showOnOneLine(name), NAME_WIDTH);
  // The last column stays free: some terminals wrap as soon as it is written.
  const room = Math.min(WIDEST_BAR, columns - 1 - widthOf(head) - 1 - widthOf(text));
  const bar = share === undefined || room < NARROWEST_BAR ? '' : drawBar(share, room);
  return cutColumns(`${head} ${bar}${text}`, Math.max(1, columns - 1));
}

function drawBar(share: number, width: number): string {
  const full = Math.floor(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** Describes the rate as `91/s`, or as `5,431 points/s` where the brought things are counted. */
export function describeRate({ done, seconds, brought }: LineState): string {
  const perSecond = (brought?.count ?? done) / Math.max(seconds, 0.001);
  const rate = perSecond < 10 ? formatNumber(perSecond) : formatWhole(perSecond);
  return brought === undefined ? `${rate}/s` : `${rate} ${brought.unit}/s`;
}

/** Describes the remaining time as `14 min left`. Returns an empty text where nobody can tell. */
export function describeRest({ total, done, seconds }: LineState): string {
  if (total === undefined || done <= 0 || done >= total) return '';
  return `${formatDuration((((total - done) * seconds) / done) * 1000)} left`;
}

function formatWhole(value: number): string {
  return formatNumber(Math.round(value));
}
