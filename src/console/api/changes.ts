import { z } from 'zod';
import { type ChangeRecord, changeKinds } from '../../ledger/list-changes.ts';
import { placeCursor, placeIn } from './cursors.ts';
import { isoOf, isoTime, pageOf, paging, timeOf, timeText } from './fields.ts';
import { route } from './route.ts';

const changeReply = z.object({
  id: z.number(),
  table: z.string(),
  key: z.record(z.string(), z.unknown()).describe('Key columns of the row and their values.'),
  kind: z.enum(changeKinds),
  at: isoTime(),
  columns: z
    .array(z.object({ name: z.string(), before: z.unknown(), after: z.unknown() }))
    .describe('What the change gave another value. Empty where only the row itself went or came back.'),
});
export type ChangeReply = z.output<typeof changeReply>;

const listChanges = route({
  method: 'get',
  path: '/changes',
  id: 'listChanges',
  summary: 'Lists how rows of the directory changed, the newest change first, before and after.',
  query: z.strictObject({
    table: z.string().optional(),
    key: z.string().optional().describe('A value of the key, in full. A page may then be short, or empty.'),
    kind: z.enum(changeKinds).optional(),
    from: timeText().optional(),
    to: timeText().optional(),
    ...paging,
  }),
  reply: pageOf(changeReply),
  async handle({ ledger, config, clock }, { query }) {
    const { table, key, kind, limit, after } = query;
    const time = (name: 'from' | 'to') =>
      query[name] === undefined ? undefined : timeOf(query[name], { name, config, now: clock() });
    const filter = { table, key, kind, from: time('from'), to: time('to') };
    const { changes, next } = await ledger.changes.list({ ...filter, limit, after: placeIn(after) });
    return { items: changes.map(describeChange), ...(next && { next: placeCursor(next) }) };
  },
});

function describeChange({ at, columns, ...change }: ChangeRecord): ChangeReply {
  const told = columns.map(({ name, before, after }) => ({ name, before, after: after ?? null }));
  return { ...change, key: { ...change.key }, at: isoOf(at), columns: told };
}

export const changeRoutes = [listChanges];
