import { PackedRows } from './history-rows.ts';
import { isObject } from './is-object.ts';
import { parseJson } from './json.ts';
import { RowScanner } from './row-scanner.ts';

const rowsKey = Buffer.from('"datas"');
const [backslash, colon, openBracket] = [0x5c, 0x3a, 0x5b] as const;
const spaces = new Set([0x20, 0x0a, 0x0d, 0x09]);

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
    const start = startOfRows(bytes, key + rowsKey.length);
    const columns = start === undefined ? undefined : scanner.scan(start);
    if (start === undefined || columns === undefined) continue;
    const { end } = scanner;
    pieces.push(bytes.toString('utf8', copied, start), `{"packed":${packed.length}}`);
    packed.push(new PackedRows(columns, () => parseJson(bytes.toString('utf8', start, end)) as unknown[][]));
    copied = end;
  }
  const body = parseJson(pieces.join('') + bytes.toString('utf8', copied));
  // One that is not found again was cut from inside a value.
  return unpack(body, packed) === packed.length ? body : parseJson(bytes.toString());
}

/** The position of the array that is the value of a key; undefined where it is none. */
function startOfRows(bytes: Buffer, behindKey: number): number | undefined {
  let at = behindKey;
  for (const expected of [colon, openBracket]) {
    while (spaces.has(bytes[at] ?? 0)) at += 1;
    if (bytes[at] !== expected) return undefined;
    at += 1;
  }
  return at - 1;
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
