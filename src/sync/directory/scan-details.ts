import type { Stream } from '../../streams/define.ts';
import { keyText } from '../../streams/row-key.ts';
import type { SyncContext } from '../context.ts';
import { isDue } from '../is-due.ts';
import { settingsOf } from '../stream-settings.ts';
import { finishScan, type Snapshot } from './finish-scan.ts';
import { describeRefused, readLists, readOwners } from './read-owner-lists.ts';
import type { ChildListsEnd } from './scan-child-lists.ts';

/**
 * Reads the details of the rows whose list entry changed since the last read, and of rows that were read long
 * ago.
 */
export async function scanDetails(ctx: SyncContext, snapshot: Snapshot): Promise<void> {
  const { stream, summary, options } = snapshot;
  const { everyMs = Number.POSITIVE_INFINITY } = settingsOf(ctx.config, stream);
  const reads = await ctx.ledger.reads.list(stream.name);
  const scan = await ctx.ledger.scans.begin(stream.name);
  const all = await readOwners(ctx, stream);
  const owners = all.filter(({ id, changedAt }) => {
    const readAt = reads.get(id);
    return (
      readAt === undefined ||
      readAt < changedAt ||
      options.allDetails ||
      isDue({ ageMs: (scan.startedAt - readAt) / 1000, everyMs, periodMs: options.periodMs ?? 0 })
    );
  });
  const end = await readLists(ctx, snapshot, { owners });
  summary.problems.push(...end.problems);
  if (end.answered === 0 && !(await wereEverRead(ctx, stream)))
    summary.notes.push(...describeNeverHad(stream, end));
  else summary.problems.push(...describeRefused(end, owners.length));
  const answered = end.problems.length + end.refused.length === 0;
  const partly = owners.length < all.length;
  await ctx.ledger.scans.finish(scan.id, { ...end, complete: answered && !partly });
  const keys = partly ? owners.map(({ key }) => keyText(Object.values(key))) : undefined;
  await finishScan(ctx, snapshot, { complete: answered, sinceUs: scan.startedAt, partly, keys });
}

/** Tells whether any scan of these details brought a record, as far back as the ledger remembers. */
async function wereEverRead(ctx: SyncContext, stream: Stream): Promise<boolean> {
  const scans = await ctx.ledger.scans.readLast(stream.name, 1_000);
  return scans.some(({ records }) => records > 0);
}

/**
 * Notes that the platform refuses all details. The operation may not be open to this application, which is no
 * failure of the list.
 */
function describeNeverHad({ operation, name }: Stream, { refused }: ChildListsEnd): string[] {
  if (refused.length === 0) return [];
  const all = refused.length === 1 ? 'the only row' : `all ${refused.length} rows`;
  return [
    `the platform refuses ${operation} for ${all} asked for, so the columns that only ${name} fill stay empty; the first: ${refused[0]}`,
  ];
}
