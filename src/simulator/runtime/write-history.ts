import type { SimulatorDialect } from '../dialect.ts';
import { timeWriter } from '../time-format.ts';
import type { Value } from '../values.ts';
import type { HistoryResult } from './history-result.ts';
import { valueWriter } from './write-value.ts';

/** Writers of one reply's times and values. */
interface Writers {
  readonly time: (epochMs: number) => string;
  readonly value: (value: Value) => string;
}

/**
 * Writes the reply of a history request (PropHistoryResp) as JSON text. It is joined by hand, since rows are many:
 * JSON.stringify can neither write integers beyond 2^53 nor bare NaN.
 */
export function writeHistory(results: readonly HistoryResult[], dialect: SimulatorDialect): string {
  const writers: Writers = {
    time: timeWriter(dialect.historyTimes, dialect.zone),
    value: valueWriter(dialect),
  };
  const items =
    dialect.historyReply === 'wide'
      ? [writeWide(results, dialect, writers)]
      : results.map((result) => writeResult(result, dialect, writers));
  const list = `{"results":[${items.join(',')}]}`;
  return dialect.historyReply === 'nested' ? `{"results":[${list}]}` : list;
}

function writeResult(
  { selected, points }: HistoryResult,
  dialect: SimulatorDialect,
  writers: Writers,
): string {
  const { times, values } = points;
  const isTimeFirst = dialect.columnOrder === 'time-first';
  let rows = '';
  for (let index = 0; index < times.length; index += 1) {
    const time = writers.time(times[index] ?? 0);
    const value = writers.value(values[index] ?? null);
    rows += isTimeFirst ? `,[${time},${value}]` : `,[${value},${time}]`;
  }
  const valueField = dialect.valueField === 'series' ? selected.name : 'value';
  const fields = isTimeFirst ? ['time', valueField] : [valueField, 'time'];
  const fn = selected.fn === undefined ? '' : `"function":"${selected.fn}",`;
  return `{"name":${JSON.stringify(selected.name)},${fn}"fields":${JSON.stringify(fields)},"datas":[${rows.slice(1)}]}`;
}

/** One result with a row per time and a column per series; of points of a series with equal times the last stays. */
function writeWide(results: readonly HistoryResult[], dialect: SimulatorDialect, writers: Writers): string {
  const byTime = new Map<number, Value[]>();
  results.forEach(({ points }, column) => {
    points.times.forEach((time, index) => {
      const row = byTime.get(time) ?? new Array<Value>(results.length).fill(null);
      row[column] = points.values[index] ?? null;
      byTime.set(time, row);
    });
  });
  const sign = dialect.historyOrder === 'ascending' ? 1 : -1;
  const isTimeFirst = dialect.columnOrder === 'time-first';
  const arrange = (time: string, others: string[]) => (isTimeFirst ? [time, ...others] : [...others, time]);
  const rows = [...byTime]
    .sort(([one], [other]) => sign * (one - other))
    .map(([time, values]) => `[${arrange(writers.time(time), values.map(writers.value)).join(',')}]`);
  const columns = results.map(({ selected }) =>
    selected.fn === undefined ? selected.name : `${selected.fn}("${selected.name}")`,
  );
  return `{"fields":${JSON.stringify(arrange('time', columns))},"datas":[${rows.join(',')}]}`;
}
