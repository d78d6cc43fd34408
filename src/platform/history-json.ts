import { PackedRows } from './history-rows.ts';
import { isObject } from './is-object.ts';
import { parseJson } from './json.ts';
import { RowScanner } from './row-scanner.ts';

const rowsKey = Buffer.from('"datas"');
const backslash = 0x5c;

/**
 * Parses a history reply like `parseJson`, but for its rows: where `datas` holds only numbers, nulls and times in UTC, it becomes
 * `PackedRows`. A list for every row is what reading long histories would spend most of its time on.
 */
export function parseHistoryJson(bytes: Buffer): unknown {
  const scanner = new RowScanner(bytes);
  const packed: PackedRows[] = [];
  const pieces: string[] = [];
  let copied = 0;
  for (let key = bytes.indexOf(rowsKey); key >= 0; key = bytes.indexOf(rowsKey, Math.max(copied, key + 1))) {
    // It is the end of an escaped quotation inside some text.
    if (bytes[key - 1] === backslash) continue;
    const columns = scanner.scan(key + rowsKey.length);
    if (columns === undefined) continue;
    const { start, end } = scanner;
    pieces.push(bytes.toString('utf8', copied, start), `{"packed":${packed.length}}`);
    packed.push(new PackedRows(columns, () => parseJson(bytes.toString('utf8', start, end)) as unknown[][]));
    copied = end;
  }
  const body = parseJson(pieces.join('') + bytes.toString('utf8', copied));
  // One that is not found again was cut from inside a value.
  return unpack(body, packed) === packed.length ? body : parseJson(bytes.toString());
}

/** Puts the rows where their places are held; how many of these were found. */
function unpack(value: unknown, packed: readonly PackedRows[]): number {
  if (Array.isArray(value)) return value.reduce<number>((found, each) => found + unpack(each, packed), 0);
  if (!isObject(value)) return 0;
  const { datas, ...others } = value;
  const rows = isObject(datas) && typeof datas.packed === 'number' ? packed[datas.packed] : undefined;
  if (rows !== undefined) Object.assign(value, { datas: rows });
  return (rows === undefined ? 0 : 1) + unpack(Object.values(others), packed);
}
