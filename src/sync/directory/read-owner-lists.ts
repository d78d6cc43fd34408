import { ensureTables } from '../../load/rows/ensure-tables.ts';
import { readParents } from '../../load/rows/read-parents.ts';
import type { Stream } from '../../streams/define.ts';
import type { SyncContext } from '../context.ts';
import { settingsOf } from '../stream-settings.ts';
import type { Snapshot } from './finish-scan.ts';
import { judgeGoneOwners } from './gone-owners.ts';
import { makeOwner } from './open-list.ts';
import { type ChildListsEnd, type ChildListsScan, type Owner, scanChildLists } from './scan-child-lists.ts';

/** Reads the list, or the details, of each owner. All their rows are in the tables afterwards. */
export async function readLists(
  ctx: SyncContext,
  { stream, summary, sink, reader }: Snapshot,
  lists: Pick<ChildListsScan, 'owners' | 'proofOf'>,
): Promise<ChildListsEnd> {
  const line = ctx.progress.start(stream.name, lists.owners.length, stream.parent?.stream.name ?? '');
  try {
    const end = await scanChildLists(ctx, { sink, reader, line, ...lists });
    line.finish();
    await sink.flush();
    summary.notes.push(...(await judgeGoneOwners(ctx, stream, end)));
    return end;
  } catch (error) {
    line.finish(ctx.signal.aborted ? 'interrupted' : 'failed');
    throw error;
  }
}

/**
 * Lists the rows of the parent, each with the time of its last change. The stream consists of their lists, or
 * of their details.
 */
export async function readOwners(
  ctx: SyncContext,
  stream: Stream,
): Promise<(Owner & { changedAt: number })[]> {
  const parent = parentOf(stream);
  const { filter, keepRaw } = settingsOf(ctx.config, parent);
  await ensureTables(ctx.db, ctx.schemas.data, parent, { keepRaw });
  const rows = await readParents(ctx.db, ctx.schemas.data, parent, { filter });
  return rows.map(({ key, changedAt, missedScans }) => ({
    ...makeOwner(key),
    changedAt,
    isMissing: missedScans > 0,
  }));
}

/** Returns the stream whose rows own the lists of a stream of children. */
export function parentOf({ parent }: Stream): Stream {
  return (parent as NonNullable<Stream['parent']>).stream;
}

/**
 * Says for which owners the platform refused the list. One sentence is enough if the platform refused all.
 */
export function describeRefused({ refused, answered }: ChildListsEnd, asked: number): string[] {
  if (answered > 0 || refused.length < 2) return [...refused];
  return [
    `the platform refused all ${refused.length} of ${asked} rows that were asked for, the first: ${refused[0]}`,
  ];
}
