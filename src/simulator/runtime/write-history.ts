import type { SimulatorDialect } from '../simulator-dialect.ts';
import { timeWriter } from '../time-format.ts';
import type { Value } from '../values.ts';
import type { HistoryResult } from './history-result.ts';
import { JsonBytes } from './json-bytes.ts';
import { valueWriter } from './write-value.ts';

/** The usual bytes of a row: most rows are a time to the second and a number. */
const EXPECTED_ROW_BYTES = 36;
const EXPECTED_HEAD_BYTES = 512;

/** A reply while it is written. */
interface Reply {
  readonly bytes: JsonBytes;
  readonly dialect: SimulatorDialect;
  readonly writeTime: (epochMs: number) => void;
  readonly writeValue: (value: Value) => void;
}

/**
 * Writes the reply to a history request (PropHistoryResp) as JSON. It is written by hand, since it may have
 * millions of rows. Besides, JSON.stringify can write neither integers beyond 2^53 nor bare NaN.
 */
export function writeHistory(results: readonly HistoryResult[], dialect: SimulatorDialect): Buffer {
  const rows = results.reduce((sum, { points }) => sum + points.times.length, 0);
  const bytes = new JsonBytes(rows * EXPECTED_ROW_BYTES + results.length * EXPECTED_HEAD_BYTES);
  const reply: Reply = {
    bytes,
    dialect,
    writeTime: timeInto(bytes, dialect),
    writeValue: valueInto(bytes, dialect),
  };
  const isNested = dialect.historyReply === 'nested';
  bytes.text(isNested ? '{"results":[{"results":[' : '{"results":[');
  if (dialect.historyReply === 'wide') writeWide(reply, results);
  else
    results.forEach((result, index) => {
      if (index > 0) bytes.text(',');
      writeResult(reply, result);
    });
  bytes.text(isNested ? ']}]}' : ']}');
  return bytes.finish();
}

/**
 * Makes a function that writes times. Whole milliseconds in UTC, the usual times, are written in a faster
 * way.
 */
function timeInto(bytes: JsonBytes, { historyTimes, zone }: SimulatorDialect): (epochMs: number) => void {
  const write = timeWriter(historyTimes, zone);
  if (historyTimes !== 'utc') return (epochMs) => bytes.text(write(epochMs));
  return (epochMs) => {
    if (epochMs === Math.floor(epochMs)) bytes.utc(epochMs);
    else bytes.text(write(epochMs));
  };
}

/**
 * Makes a function that writes values. Numbers and plain integers, the usual values, are written in a faster
 * way.
 */
function valueInto(bytes: JsonBytes, dialect: SimulatorDialect): (value: Value) => void {
  const write = valueWriter(dialect);
  const isQuoted = dialect.numbersAs === 'string';
  const isPlainInteger = !isQuoted && dialect.int64As === 'number';
  return (value) => {
    if (typeof value === 'number' && Number.isFinite(value)) {
      if (isQuoted) bytes.text('"');
      bytes.number(value);
      if (isQuoted) bytes.text('"');
    } else if (typeof value === 'bigint' && isPlainInteger) bytes.integer(value);
    else bytes.text(write(value));
  };
}

function writeResult(reply: Reply, { selected, points }: HistoryResult): void {
  const { bytes, dialect, writeTime, writeValue } = reply;
  const { times, values } = points;
  const isTimeFirst = dialect.columnOrder === 'time-first';
  const valueField = dialect.valueField === 'series' ? selected.name : 'value';
  const fields = isTimeFirst ? ['time', valueField] : [valueField, 'time'];
  const fn = selected.fn === undefined ? '' : `"function":"${selected.fn}",`;
  bytes.text(`{"name":${JSON.stringify(selected.name)},${fn}"fields":${JSON.stringify(fields)},"datas":[`);
  for (let index = 0; index < times.length; index += 1) {
    bytes.beginRow(index === 0);
    if (isTimeFirst) {
      writeTime(times[index] ?? 0);
      bytes.text(',');
      writeValue(values[index] ?? null);
    } else {
      writeValue(values[index] ?? null);
      bytes.text(',');
      writeTime(times[index] ?? 0);
    }
    bytes.text(']');
  }
  bytes.text(']}');
}

/**
 * Writes one result with a row per time and a column per series. The last one of points with equal times
 * stays.
 */
function writeWide(
  { bytes, dialect, writeTime, writeValue }: Reply,
  results: readonly HistoryResult[],
): void {
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
  const columns = results.map(({ selected }) =>
    selected.fn === undefined ? selected.name : `${selected.fn}("${selected.name}")`,
  );
  bytes.text(
    `{"fields":${JSON.stringify(isTimeFirst ? ['time', ...columns] : [...columns, 'time'])},"datas":[`,
  );
  [...byTime]
    .sort(([one], [other]) => sign * (one - other))
    .forEach(([time, values], row) => {
      bytes.beginRow(row === 0);
      if (isTimeFirst) writeTime(time);
      values.forEach((value, column) => {
        if (isTimeFirst || column > 0) bytes.text(',');
        writeValue(value);
      });
      if (!isTimeFirst) {
        bytes.text(',');
        writeTime(time);
      }
      bytes.text(']');
    });
  bytes.text(']}');
}
