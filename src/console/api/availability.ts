import { Readable } from 'node:stream';
import { z } from 'zod';
import { csvCell } from '../../csv-cell.ts';
import {
  type Availability,
  type AvailabilityQuestion,
  type AvailabilityReport,
  readAvailability,
} from '../../sync/coverage-map/read-availability.ts';
import type { ApiContext } from './api-context.ts';
import { count, isoOf, isoTime, timeOf, timeText } from './fields.ts';
import { ApiFile, route } from './route.ts';

const shows = ['ranges', 'gaps', 'extent'] as const;
type Show = (typeof shows)[number];

const query = z.strictObject({
  object: z.string().min(1).default('*').describe('Glob for the aliases of objects.'),
  property: z.string().min(1).default('*').describe('Glob for the aliases of properties.'),
  store: z.string().optional().describe('Identity or kind of a store. Without it, all stores.'),
  stream: z.string().optional().describe('`history`, `history/300s/mean`, `alarms`. Without it, all.'),
  from: timeText().optional(),
  to: timeText().optional(),
  mergeGapSec: z.coerce
    .number()
    .min(0)
    .default(0)
    .describe('Ranges with at most so many seconds between them count as one, and such gaps are not shown.'),
  show: z
    .enum(shows)
    .default('ranges')
    .describe('What is stored, what is wanted and missing, or the first and last stored instant.'),
  format: z.enum(['json', 'csv', 'text']).default('json'),
  limit: count(1, 500).default(100).describe('Most series of one answer of JSON. CSV and text have all.'),
  after: count(0, 100_000_000).default(0).describe('The `next` of the answer before.'),
});

const span = z.object({ from: isoTime(), to: isoTime() });

const getAvailability = route({
  method: 'get',
  path: '/availability',
  id: 'getAvailability',
  summary: 'Tells which ranges of which series are stored where, as a data centre of seismology does.',
  query,
  reply: z.object({
    items: z.array(
      z.object({
        object: z.string(),
        property: z.string(),
        stream: z.string(),
        store: z.string(),
        earliest: isoTime().optional().describe('First stored instant. Missing if nothing is stored.'),
        latest: isoTime().optional().describe('End of the last stored range.'),
        storedSec: z.number().describe('Seconds that are stored, without merged gaps.'),
        ranges: z.array(span).optional(),
        gaps: z.array(span).optional(),
      }),
    ),
    next: z.string().optional().describe('Give it as `after`.'),
  }),
  files: ['text/csv', 'text/plain'],
  handle: async (ctx, { query: { show, format, object, property, store, from, to, after, ...asked } }) => {
    const now = ctx.clock();
    const at = (text: string | undefined, name: string) =>
      text === undefined ? undefined : timeOf(text, { name, config: ctx.config, now });
    const question = {
      ...asked,
      ...{ from: at(from, 'from'), to: at(to, 'to') },
      ...{ objects: object, properties: property, offset: after },
      store: store && (ctx.stores.find(({ kind }) => kind === store)?.id ?? store),
    };
    const first = await readAvailability(ctx, question);
    if (format === 'json')
      return { items: first.items.map((item) => toJson(item, show)), next: first.next?.toString() };
    const write = format === 'csv' ? writeCsv : writeText;
    const lines = Readable.from(writeAll(ctx, question, { first, show, write }));
    return format === 'csv'
      ? new ApiFile('text/csv; charset=utf-8', lines, 'availability.csv')
      : new ApiFile('text/plain; charset=utf-8', lines);
  },
});

/** Writes all series as a table, page after page. The first line names the columns. */
async function* writeAll(
  ctx: ApiContext,
  question: AvailabilityQuestion,
  { first, show, write }: { first: AvailabilityReport; show: Show; write: (line: string[]) => string },
): AsyncGenerator<string> {
  const more = show === 'extent' ? ['ranges', 'storedSec'] : [];
  const head = write(['object', 'property', 'stream', 'store', 'earliest', 'latest', ...more]);
  yield write === writeText ? `#${head}` : head;
  let page = first;
  while (true) {
    yield page.items.flatMap((item) => linesOf(item, show).map(write)).join('');
    if (page.next === undefined) return;
    page = await readAvailability(ctx, { ...question, offset: page.next });
  }
}

const spanOf = ({ from, to }: { from: number; to: number }) => ({ from: isoOf(from), to: isoOf(to) });

function toJson({ ranges, gaps, ...item }: Availability, show: Show) {
  return {
    ...item,
    ...{ earliest: isoOf(ranges[0]?.from), latest: isoOf(ranges.at(-1)?.to) },
    ...(show === 'ranges' && { ranges: ranges.map(spanOf) }),
    ...(show === 'gaps' && { gaps: gaps.map(spanOf) }),
  };
}

/** Returns a line for each range or gap, or one line for a series of which anything is stored. */
function linesOf(item: Availability, show: Show): string[][] {
  const { object, property, stream, store, ranges, storedSec } = item;
  const named = [object, property, stream, store];
  if (show !== 'extent') return item[show].map(({ from, to }) => [...named, isoOf(from), isoOf(to)]);
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [[...named, isoOf(first.from), isoOf(last.to), String(ranges.length), String(storedSec)]];
}

function writeCsv(line: readonly string[]): string {
  return `${line.map((text) => csvCell(text)).join(',')}\r\n`;
}

/** Blanks part the columns, so a blank in a name is written as `%20`, and no name as `-`. */
function writeText(line: readonly string[]): string {
  const plain = (text: string) => (text === '' ? '-' : text.replaceAll(/[\s%]/g, encodeURIComponent));
  return `${line.map(plain).join(' ')}\n`;
}

export const availabilityRoutes = [getAvailability];
