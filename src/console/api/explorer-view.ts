import { z } from 'zod';
import type { Config } from '../../config/config-schema.ts';
import { UsageError } from '../../errors.ts';
import type { PointStore } from '../../load/stores/store.ts';
import { HISTORY, type HistoryStream, parseHistoryStream } from '../../series/history-stream.ts';
import type { Range, Series } from '../../series/types.ts';
import { keyText } from '../../streams/row-key.ts';
import { chooseStore } from '../../sync/explore/choose-store.ts';
import { streamsOf } from '../../sync/selection/history-streams.ts';
import type { ApiContext } from './api-context.ts';
import { timeOf, timeText } from './fields.ts';

/** The parameter that names one series. */
export const seriesQuery = {
  series: z
    .string()
    .min(1)
    .describe('Object and property with a slash between; `~1` is a slash in the object.'),
};

/** The parameters of a range of one stream. */
export const rangeQuery = {
  from: timeText(),
  to: timeText().default('now'),
  stream: z.string().default(HISTORY).describe('`history`, or an aggregate such as `history/300s/mean`.'),
};

/** The parameters of a range of one stream in one store. */
export const viewQuery = {
  ...rangeQuery,
  store: z.string().optional().describe('Kind or identity of the store; the first one if missing.'),
};

/** Names a series in requests. */
export function seriesText({ object, property }: Pick<Series, 'object' | 'property'>): string {
  return keyText([object, property]);
}

/** Finds a series by its name in a request. Throws a `UsageError` if nothing was ever read of it. */
export async function chooseSeries(ctx: Pick<ApiContext, 'ledger'>, text: string): Promise<Series> {
  const [, escaped, property] = /^([^/]*)\/(.*)$/s.exec(text) ?? [];
  const object = escaped?.replaceAll('~1', '/').replaceAll('~0', '~');
  const [series] =
    object === undefined || property === undefined
      ? []
      : await ctx.ledger.series.find([{ object, property }]);
  if (series !== undefined) return series;
  throw new UsageError('usage.wrong_request', `series ${text}: no selection has ever read such a series`);
}

/** What of which store is looked at. */
export interface View {
  readonly store: PointStore;
  readonly stream: HistoryStream;
  readonly range: Range;
}

/** Reads the range, stream and store of a request. Throws a `UsageError` that names what is wrong. */
export function chooseView(
  ctx: Pick<ApiContext, 'config' | 'clock' | 'stores'>,
  query: {
    readonly from: string;
    readonly to: string;
    readonly stream: string;
    readonly store?: string | undefined;
  },
): View {
  const timeIn = (name: 'from' | 'to') => timeOf(query[name], { name, config: ctx.config, now: ctx.clock() });
  const range = { from: timeIn('from'), to: timeIn('to') };
  if (range.from >= range.to)
    throw new UsageError('usage.wrong_request', `from ${query.from}: must be before to ${query.to}`);
  const stream = parseHistoryStream(query.stream);
  if (stream === undefined)
    throw new UsageError('usage.wrong_request', `stream ${query.stream}: is no stream of points`);
  return { store: chooseStore(ctx.stores, query.store), stream, range };
}

/** Lists the streams that the selections read. */
export function listStreams({ runtime }: Config): string[] {
  return [...new Set(runtime.flatMap(({ history }) => streamsOf(history).map(({ name }) => name)))];
}
