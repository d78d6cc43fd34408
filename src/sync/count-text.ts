/** Writes a number as people read it: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/**
 * Writes a number with its noun: `1 object`, `12,345 objects`. `many` is the plural, if it is not `one` with
 * an `s`.
 */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Writes a span of time in its largest fitting unit: `40 s`, `4 min`, `3 h`, `5 d`. */
export function spanText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 100) return `${whole} s`;
  if (whole < 100 * 60) return `${Math.round(whole / 60)} min`;
  return whole < 48 * 3600 ? `${Math.round(whole / 3600)} h` : `${formatCount(Math.round(whole / 86_400))} d`;
}

/** Writes a time (ISO 8601 in UTC) to the second. The day is left out if it is that of `nowMs`. */
export function clockText(time: string, nowMs: number): string {
  const text = `${time.slice(0, 19)}Z`;
  return text.slice(0, 10) === new Date(nowMs).toISOString().slice(0, 10) ? text.slice(11) : text;
}

/** Writes a time (ISO 8601) as the reader wants it. */
export type Clock = (time: string) => string;
