import { complaintIn } from '../complaint.ts';
import type { DialectOptions } from '../dialect.ts';
import { MalformedReply } from '../failure.ts';
import { isObject } from '../json/is-object.ts';
import type { HistoryColumn, HistoryRequest } from '../platform.ts';
import { type HistoryRows, ListedRows, PackedRows } from './history-rows.ts';
import { AskedNames } from './series-name.ts';

type HistoryDialect = Pick<DialectOptions, 'select' | 'unusedBounds' | 'groupBy'>;

/**
 * Builds the body of the history request (PropHistoryReq). Its bounds are whole UTC seconds, `ge` and `lt`.
 */
export function encodeHistory(request: HistoryRequest, dialect: HistoryDialect): Record<string, unknown> {
  const { series, aggregate } = request;
  const functions = aggregate?.functions ?? [undefined];
  const unused = dialect.unusedBounds === 'empty' ? { gt: '', le: '' } : {};
  const timestamp = { ge: secondsText(request.fromSec), lt: secondsText(request.toSec), ...unused };
  return {
    select: functions.flatMap((fn) => series.map((name) => selectEntry(name, fn, dialect.select))),
    where: { and: { timestamp } },
    ...(aggregate === undefined
      ? {}
      : { groupBy: { time: groupPeriod(aggregate.periodSec, dialect.groupBy) } }),
    ...(aggregate?.fill === undefined ? {} : { fill: { strategy: aggregate.fill } }),
    limit: request.limit,
    ...(request.offset > 0 ? { offset: request.offset } : {}),
  };
}

function selectEntry(name: string, fn: string | undefined, form: DialectOptions['select']): string {
  const quoted = form === 'bare' ? name : `"${name}"`;
  if (fn !== undefined) return `${fn}(${quoted})`;
  return form === 'parenthesised' ? `(${quoted})` : quoted;
}

function secondsText(epochSec: number): string {
  return new Date(Math.floor(epochSec) * 1000).toISOString().replace('.000Z', 'Z');
}

function groupPeriod(periodSec: number, form: DialectOptions['groupBy']): string {
  return form === 'with-offset' ? `${periodSec}s,0s` : `${periodSec}s`;
}

/** One result of a reply: the rows of one or several series. */
interface Item {
  readonly name: string | undefined;
  readonly fn: string | undefined;
  readonly fields: readonly string[];
  readonly rows: HistoryRows;
}

/**
 * The most results of a reply. A platform may divide the rows of a series into results, but not one for each
 * row.
 */
const MAX_RESULTS = 20_000;
/** The most lists that may lie around a result. The specification shows two. */
const MAX_DEPTH = 10;
const TIME_FIELD = /^_?(?:time|timestamp|datetime)$/i;
const VALUE_FIELD = /^_?value$/i;

/**
 * Reads a history reply (PropHistoryResp), flat or doubly nested, with its columns in any order. A series
 * that the reply names without a row gives an empty column. A series that the reply leaves out gives no
 * column, since some platforms leave out a series without points. Throws `MalformedReply` also in these
 * cases, since each of them would make a window look empty that may not be:
 * - The reply does not tell to which asked series a result belongs.
 * - A result has no rows to speak of (`{}`, no `datas`, or null).
 * - A complaint stands next to a series without rows.
 */
export function decodeHistory(body: unknown, request: HistoryRequest): HistoryColumn[] {
  if (!isObject(body) || !Array.isArray(body.results))
    throw new MalformedReply('the reply has no member results');
  const functions = request.aggregate?.functions ?? [];
  const names = new Set(request.series);
  const asked: Asked = { names, spelled: new AskedNames(names), functions };
  const items: Item[] = [];
  for (const item of itemsOf(body.results)) {
    items.push(item);
    if (items.length > MAX_RESULTS)
      throw new MalformedReply(`the reply holds more than ${MAX_RESULTS} results`);
  }
  // The specification shows no names. Without names the order tells the series, if no result was left out.
  const order = items.length === asked.names.size * Math.max(1, functions.length) ? [...asked.names] : [];
  const columns = items.flatMap((item, index) =>
    columnsOf(item, asked, {
      name: order[index % order.length],
      fn: functions[Math.floor(index / order.length)],
    }),
  );
  refuseComplaint(body, columns, asked);
  return columns;
}

/**
 * Throws `MalformedReply` if a complaint may be the reason why a series has no rows. A complaint next to the
 * rows of all series does not matter.
 */
function refuseComplaint(body: unknown, columns: readonly HistoryColumn[], { names }: Asked): void {
  const complaint = complaintIn(body);
  if (complaint === undefined) return;
  const withRows = new Set(columns.filter(({ rows }) => rows.length > 0).map(({ name }) => name));
  // The text of the complaint may quote anything, so the error does not repeat it.
  if (withRows.size < names.size)
    throw new MalformedReply('the reply has no rows of a series, and a message that reports no success');
}

function* itemsOf(results: readonly unknown[], depth = 0): Generator<Item> {
  if (depth > MAX_DEPTH) throw new MalformedReply('the results are nested too deeply');
  for (const result of results) {
    if (Array.isArray(result)) yield* itemsOf(result, depth + 1);
    else if (!isObject(result)) throw new MalformedReply('a history result is not an object');
    else if (Array.isArray(result.results)) yield* itemsOf(result.results, depth + 1);
    else if (result.datas !== undefined || result.fields !== undefined) yield readItem(result);
    else throw new MalformedReply('a history result has neither fields nor datas');
  }
}

function readItem(result: Readonly<Record<string, unknown>>): Item {
  const { name, function: fn, fields, datas } = result;
  if (!Array.isArray(fields) || !fields.every((field) => typeof field === 'string'))
    throw new MalformedReply('a history result has no list of fields');
  return {
    name: typeof name === 'string' && name !== '' ? name : undefined,
    fn: typeof fn === 'string' && fn !== '' ? fn : undefined,
    fields,
    rows: readRows(datas),
  };
}

function readRows(datas: unknown): HistoryRows {
  if (datas instanceof PackedRows) return datas;
  if (datas === undefined || datas === null)
    throw new MalformedReply('a history result has no datas, so that its points are not known');
  if (!Array.isArray(datas) || !datas.every((row) => Array.isArray(row)))
    throw new MalformedReply('datas of a history result is not an array of arrays');
  return new ListedRows(datas);
}

interface Asked {
  readonly names: ReadonlySet<string>;
  readonly spelled: AskedNames;
  readonly functions: readonly string[];
}

type Label = { readonly name: string | undefined; readonly fn: string | undefined };

function columnsOf(item: Item, asked: Asked, inOrder: Label): HistoryColumn[] {
  const timeAt = item.fields.findIndex((field) => TIME_FIELD.test(field));
  if (timeAt < 0) throw new MalformedReply('a history result has no time field');
  const values = [...item.fields.entries()].filter(([at]) => at !== timeAt);
  const column = (label: Label, valueAt: number): HistoryColumn[] =>
    label.name === undefined
      ? []
      : [{ name: label.name, fn: label.fn, rows: item.rows, timeAt, valueAt, sparse: false }];

  // A column called `value`, or like an asked function, belongs to the series of the whole result. Other
  // columns are qualities and the like.
  const whole = labelOfItem(item, asked, inOrder);
  const plain = values.filter(([, field]) => VALUE_FIELD.test(field) || asked.functions.includes(field));
  let columns = plain.flatMap(([at, field]) =>
    column({ name: whole.name, fn: asked.functions.includes(field) ? field : whole.fn }, at),
  );
  if (columns.length === 0)
    columns = values.flatMap(([at, field]) => column(labelOfField(field, item, asked), at));
  const [only, ...others] = values;
  if (columns.length === 0 && only !== undefined && others.length === 0) columns = column(whole, only[0]);
  if (columns.length === 0) throw new MalformedReply('a history result names no series that was asked for');
  const sparse = new Set(columns.map(({ name }) => name)).size > 1;
  return sparse ? columns.map((each) => ({ ...each, sparse })) : columns;
}

function labelOfItem(item: Item, asked: Asked, inOrder: Label): Label {
  if (item.name === undefined) return { name: inOrder.name, fn: item.fn ?? inOrder.fn };
  const named = asked.spelled.match(item.name);
  return { name: named?.name, fn: item.fn ?? named?.fn ?? onlyFunction(asked) };
}

function labelOfField(field: string, item: Item, asked: Asked): Label {
  const named = asked.spelled.match(field);
  return { name: named?.name, fn: named?.fn ?? item.fn ?? onlyFunction(asked) };
}

function onlyFunction({ functions }: Asked): string | undefined {
  return functions.length === 1 ? functions[0] : undefined;
}
