import type { DateOrder } from './csv-time.ts';

const DAY_MS = 86_400_000;

/**
 * Finds the order of day and month that a file proves. A file proves an order in one of two ways. Only this
 * order makes dates of all texts (a text that is no date in an order has the time NaN). Or only this order
 * goes on at midnight in steps like those within a day. Returns undefined if the file proves no order.
 */
export function proveDateOrder(times: Record<DateOrder, Float64Array>): DateOrder | undefined {
  const orders: readonly DateOrder[] = ['mdy', 'dmy'];
  const whole = orders.filter((order) => !times[order].some(Number.isNaN));
  const proven = whole.length === 1 ? whole : whole.filter((order) => goesOn(times[order]));
  return proven.length === 1 ? proven[0] : undefined;
}

function goesOn(times: Float64Array): boolean {
  let [within, between] = [0, 0];
  for (let row = 1; row < times.length; row += 1) {
    const [before, time] = [times[row - 1] ?? 0, times[row] ?? 0];
    const isSameDay = Math.floor(time / DAY_MS) === Math.floor(before / DAY_MS);
    if (isSameDay) within = Math.max(within, time - before);
    else if (time <= before) return false;
    else between = Math.max(between, time - before);
  }
  return between > 0 && between < DAY_MS && between <= 2 * within;
}
