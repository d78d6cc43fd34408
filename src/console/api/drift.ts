import { z } from 'zod';
import type { DriftRecord } from '../../ledger/drift.ts';
import { itemsOf, numberCursor, numberIn } from './cursors.ts';
import { isoOf, isoTime, pageOf, paging } from './fields.ts';
import { route } from './route.ts';

const driftReply = z.object({
  stream: z.string(),
  table: z.string().describe('Table whose records differ: that of the stream, or one of its parts.'),
  member: z.string(),
  kind: z
    .enum(['new', 'missing', 'retyped'])
    .describe('Not declared; declared and in no record; of another type than declared.'),
  since: isoTime().describe('Since when every scan has shown it.'),
  lastAt: isoTime(),
  count: z.number().describe('Records of the last scan that show it.'),
  sample: z.unknown().describe('A value as received.'),
});
export type DriftReply = z.output<typeof driftReply>;

const listDrift = route({
  method: 'get',
  path: '/drift',
  id: 'listDrift',
  summary: 'Lists how the records of the platform differ from what is declared.',
  query: z.strictObject({ stream: z.string().optional(), ...paging }),
  reply: pageOf(driftReply),
  async handle({ ledger }, { query: { stream, limit, after } }) {
    // The ledger keeps a bounded number of entries, so a page is cut from all of them.
    const from = numberIn(after) ?? 0;
    const found = (await ledger.drift.list(stream)).slice(from);
    const cursor = () => numberCursor(from + limit);
    return itemsOf(found, { limit, describe: describeDrift, cursor });
  },
});

function describeDrift({ since, lastAt, sample, ...drift }: DriftRecord): DriftReply {
  const { stream, table, member, kind, count } = drift;
  const facts = { stream, table, member, kind, count, since: isoOf(since), lastAt: isoOf(lastAt) };
  return { ...facts, sample: sample ?? null };
}

export const driftRoutes = [listDrift];
