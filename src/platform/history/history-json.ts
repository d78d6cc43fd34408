import { Breaks } from '../../breaks.ts';
import { isObject } from '../json/is-object.ts';
import { parseJson } from '../json/json.ts';
import { parseLargeJson } from '../json/large-json.ts';
import { PackedRows } from './history-rows.ts';
import { RowScanner } from './row-scanner.ts';

const rowsKey = Buffer.from('"datas"');
const BACKSLASH = 0x5c;
/** The rows or values that are read between two looks at the clock. */
const STEP = 1_000;

/**
 * Parses a history reply as `parseJson` does, except for its rows. Where `datas` holds only numbers, texts,
 * nulls, booleans and times in UTC, it becomes `PackedRows`. A list for every row would take most of the time
 * of reading long histories.
 */
export function parseHistoryJson(bytes: Buffer): unknown {
  const { rest, packed } = finish(cutRows(bytes));
  const body = parseJson(rest.toString());
  return finish(unpack(body, packed)) === packed.length ? body : parseJson(bytes.toString());
}

/** Parses a large history reply, with breaks between its parts. */
export async function parseLargeHistoryJson(bytes: Buffer, breaks: Breaks): Promise<unknown> {
  const { rest, packed } = await finishWithBreaks(cutRows(bytes), breaks);
  const body = await parseLargeJson(rest, breaks);
  const found = await finishWithBreaks(unpack(body, packed), breaks);
  // Rows that were not found again had been cut from inside a value.
  return found === packed.length ? body : parseLargeJson(bytes, breaks);
}

/** A reply without its rows, and the rows. */
interface Cut {
  readonly rest: Buffer;
  readonly packed: readonly PackedRows[];
}

/** Work that may stop at each of its steps. */
type Steps<T> = Generator<void, T>;

function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

async function finishWithBreaks<T>(steps: Steps<T>, breaks: Breaks): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (breaks.due) await breaks.take();
  }
}

function* cutRows(bytes: Buffer): Steps<Cut> {
  const scanner = new RowScanner(bytes);
  const packed: PackedRows[] = [];
  const pieces: Buffer[] = [];
  let copied = 0;
  for (let key = bytes.indexOf(rowsKey); key >= 0; key = bytes.indexOf(rowsKey, Math.max(copied, key + 1))) {
    yield;
    // Such a key is the end of an escaped quotation inside a text.
    if (bytes[key - 1] === BACKSLASH) continue;
    if (!(yield* scanRows(scanner, key + rowsKey.length))) continue;
    const { start, end } = scanner;
    pieces.push(bytes.subarray(copied, start), Buffer.from(`{"packed":${packed.length}}`));
    packed.push(new PackedRows(scanner.finish(), () => listRows(bytes.subarray(start, end))));
    copied = end;
  }
  if (packed.length === 0) return { rest: bytes, packed };
  pieces.push(bytes.subarray(copied));
  return { rest: Buffer.concat(pieces), packed };
}

async function listRows(bytes: Buffer): Promise<unknown[][]> {
  return (await parseLargeJson(bytes, new Breaks())) as unknown[][];
}

function* scanRows(scanner: RowScanner, behindKey: number): Steps<boolean> {
  if (!scanner.begin(behindKey)) return false;
  for (;;) {
    const state = scanner.scanRows(STEP);
    if (state !== 'more') return state === 'end';
    yield;
  }
}

/**
 * Puts the rows back in their places. Returns how many places were found. The function does not call itself,
 * since values may be nested at any depth.
 */
function* unpack(body: unknown, packed: readonly PackedRows[]): Steps<number> {
  if (packed.length === 0) return 0;
  let found = 0;
  const values: unknown[] = [body];
  for (let looked = 0; values.length > 0; looked += 1) {
    if (looked % STEP === 0) yield;
    const value = values.pop();
    if (Array.isArray(value)) for (const each of value) values.push(each);
    if (!isObject(value)) continue;
    const { datas } = value;
    const rows = isObject(datas) && typeof datas.packed === 'number' ? packed[datas.packed] : undefined;
    if (rows !== undefined) Object.assign(value, { datas: rows });
    found += rows === undefined ? 0 : 1;
    // Rows hold no other rows. A mark of packed rows inside `datas` is part of a value.
    for (const [name, each] of Object.entries(value)) if (name !== 'datas') values.push(each);
  }
  return found;
}
