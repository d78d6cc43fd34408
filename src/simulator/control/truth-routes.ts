import type { FastifyInstance } from 'fastify';
import type { ListOperationId } from '../../platform/operations.ts';
import { lists } from '../list-sources.ts';
import { givenTimeMs } from '../signals/stored.ts';
import { type DetailOperationId, details, type Truth } from '../truth.ts';

const MAX_RECORDS = 10_000;
const MAX_POINTS = 100_000;

type Texts = Record<string, string>;

/**
 * Serves the truth below `/simulator/truth/`:
 * - `records/<list operation>?offset&limit`, with path and query parameters of the operation: `{total,
 *   records}`
 * - `replies/<operation of one record>`, with path and query parameters of the operation: the body
 * - `series?offset&limit`, counted in objects: `{series}`
 * - `history?series&from&to`: `{points: [[epoch ms, value], …], next}`. Ask again from `next` until it is
 *   null. Integers beyond 2^53, NaN and infinities come as texts.
 * - `datatables/<object>`, `workflows`
 */
export function registerTruth(control: FastifyInstance, truth: Truth): void {
  control.get<{ Params: { operation: string }; Querystring: Texts }>(
    '/simulator/truth/records/:operation',
    ({ params, query }) => {
      if (!isList(params.operation)) throw new Error(`${params.operation} is no list operation`);
      const { offset, limit, ...rest } = query;
      const input = { path: rest, query: rest };
      const wanted = wholeNumber(limit, { name: 'limit', fallback: MAX_RECORDS });
      const part = {
        offset: wholeNumber(offset, { name: 'offset', fallback: 0 }),
        limit: Math.min(wanted, MAX_RECORDS),
      };
      return {
        total: truth.count(params.operation, input),
        records: truth.records(params.operation, { ...input, ...part }),
      };
    },
  );
  control.get<{ Params: { operation: string }; Querystring: Texts }>(
    '/simulator/truth/replies/:operation',
    ({ params: { operation }, query }) => {
      if (!isDetail(operation)) throw new Error(`${operation} is no operation of one record`);
      return truth.reply(operation, { path: query, query });
    },
  );
  control.get<{ Querystring: Texts }>('/simulator/truth/series', ({ query }) => {
    const offset = wholeNumber(query.offset, { name: 'offset', fallback: 0 });
    const limit = wholeNumber(query.limit, { name: 'limit', fallback: 1000 });
    return { series: [...truth.series({ offset, limit })] };
  });
  control.get<{ Querystring: Texts }>('/simulator/truth/history', async ({ query }, reply) =>
    reply.type('application/json').send(historyJson(truth, query)),
  );
  control.get<{ Params: { object: string } }>('/simulator/truth/datatables/:object', ({ params }) =>
    truth.datatable(params.object),
  );
  control.get('/simulator/truth/workflows', () => truth.workflows());
}

/**
 * Reads a whole number of a query, not below zero. Throws an Error that names the parameter if its text is
 * not one.
 */
export function wholeNumber(
  text: string | undefined,
  { name, fallback }: { name: string; fallback: number },
): number {
  if (text === undefined) return fallback;
  if (!/^\d+$/.test(text)) throw new Error(`${name}: ${JSON.stringify(text)} is not a whole number from 0`);
  return Number(text);
}

function isList(operation: string): operation is ListOperationId {
  return Object.hasOwn(lists, operation);
}

function isDetail(operation: string): operation is DetailOperationId {
  return Object.hasOwn(details, operation);
}

/**
 * Returns points as JSON. Points with equal times stay together, so that `next` never repeats or skips a
 * point.
 */
function historyJson(truth: Truth, { series, from, to }: Texts): string {
  if (!series || !from || !to) throw new Error('series, from and to are required');
  const points = truth.history(series, timeOf(from), timeOf(to), MAX_POINTS + 1);
  const nextMs = points.length > MAX_POINTS ? points.at(-1)?.[0] : undefined;
  const shown = nextMs === undefined ? points : points.filter(([time]) => time < nextMs);
  return JSON.stringify({ points: shown, next: nextMs ?? null }, (_key, value: unknown) =>
    typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
      ? String(value)
      : value,
  );
}

function timeOf(text: string): number {
  return givenTimeMs(/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
}
