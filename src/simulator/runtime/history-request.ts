import { parameterError } from '../refused-call.ts';
import type { SimulatorDialect } from '../simulator-dialect.ts';
import { isRecord, type PlainRecord } from '../values.ts';
import type { World } from '../world.ts';
import { type Grouping, parseGrouping } from './aggregate-points.ts';
import { parseSelect, type Selected } from './select.ts';

/** A history request that was read. Times are in epoch milliseconds, and its range is half-open. */
export interface HistoryQuery {
  readonly selected: readonly Selected[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  readonly offset: number;
  readonly grouping: Grouping | undefined;
  readonly fill: string;
}

/** The smallest step of time: one microsecond. */
const TICK_MS = 0.001;
const TO_THE_SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads the body of a history request (PropHistoryReq). Throws a `RefusedCall` with 800003 if a part is
 * wrong.
 */
export function parseHistoryRequest(world: World, body: unknown): HistoryQuery {
  if (!isRecord(body)) throw parameterError('a body is required');
  const { dialect } = world;
  const { select } = body;
  if (!Array.isArray(select) || select.length === 0) throw parameterError('select must name a property');
  const selected = select.map((entry) => parseSelect(world, entry));
  const period = memberOf(body, 'groupBy').time;
  const grouping = typeof period === 'string' ? parseGrouping(period, dialect.groupByForm) : undefined;
  if (grouping && selected.some(({ fn }) => fn === undefined))
    throw parameterError('groupBy needs a function for every entry of select');
  const limit = countOf(body, 'limit', dialect.defaultLimit);
  if (dialect.maxLimit !== null && limit > dialect.maxLimit)
    throw parameterError(`limit must not exceed ${dialect.maxLimit}`);
  return {
    selected,
    ...parseBounds(memberOf(memberOf(memberOf(body, 'where'), 'and'), 'timestamp'), dialect),
    limit,
    offset: dialect.ignoreOffset ? 0 : countOf(body, 'offset', 0),
    grouping,
    fill: String(memberOf(body, 'fill').strategy ?? 'none'),
  };
}

function memberOf(record: PlainRecord, name: string): PlainRecord {
  const member = record[name];
  if (member === undefined || member === null) return {};
  if (!isRecord(member)) throw parameterError(`${name} must be an object`);
  return member;
}

function countOf(body: PlainRecord, name: string, byDefault: number): number {
  const count = body[name] ?? byDefault;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0)
    throw parameterError(`${name} must be a whole number`);
  return count;
}

function parseBounds(timestamp: PlainRecord, dialect: SimulatorDialect): { fromMs: number; toMs: number } {
  const bound = (name: string, form: RegExp, byDefault: number): number => {
    const text = timestamp[name];
    checkUnused(name, text, dialect.unusedBounds);
    if (text === undefined || text === '') return byDefault;
    if (typeof text !== 'string' || !form.test(text) || Number.isNaN(Date.parse(text)))
      throw parameterError(`timestamp ${name} ${String(text)} is not understood`);
    return Date.parse(text);
  };
  const fromMs = Math.max(
    bound('ge', TO_THE_SECOND, Number.NEGATIVE_INFINITY),
    bound('gt', UTC, Number.NEGATIVE_INFINITY) + TICK_MS,
  );
  const toMs = Math.min(
    bound('lt', UTC, Number.POSITIVE_INFINITY),
    bound('le', UTC, Number.POSITIVE_INFINITY) + TICK_MS,
  );
  const ignores = (name: 'ge' | 'lt') => [name, 'both'].includes(dialect.ignoreBounds);
  return {
    fromMs: ignores('ge') ? Number.NEGATIVE_INFINITY : fromMs,
    toMs: ignores('lt') ? Number.POSITIVE_INFINITY : toMs,
  };
}

function checkUnused(name: string, text: unknown, form: SimulatorDialect['unusedBounds']): void {
  if (form === 'omitted' && text === '') throw parameterError(`timestamp ${name} must not be empty`);
  if (form === 'empty' && text === undefined) throw parameterError(`timestamp ${name} is missing`);
}
