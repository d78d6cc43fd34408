import type { SyncContext } from '../context.ts';
import { settingsOf } from '../stream-settings.ts';
import { finishScan, type Snapshot } from './finish-scan.ts';
import { describeRefused, parentOf, readLists, readOwners } from './read-owner-lists.ts';
import { wasScanned } from './scan-root.ts';

/** A scan of children that was interrupted is continued, unless it began longer ago. */
const RESUME_WITHIN_MS = 24 * 3_600_000;

/**
 * Reads the lists of all rows of the parent. A scan that was interrupted goes on with the lists that it had
 * not read.
 */
export async function scanChildren(ctx: SyncContext, snapshot: Snapshot): Promise<void> {
  const { stream, summary, options } = snapshot;
  const onlyUnread = options.onlyUnread ?? false;
  const isRepeated = await wasScanned(ctx, stream);
  const { query, filter, keepRaw } = settingsOf(ctx.config, stream);
  const scan = await ctx.ledger.scans.begin(stream.name, {
    resumeWithinMs: onlyUnread ? 0 : RESUME_WITHIN_MS,
    settings: JSON.stringify({ query, filter, keepRaw }),
  });
  const reads =
    scan.resumed || onlyUnread ? await ctx.ledger.reads.list(stream.name) : new Map<string, number>();
  const all = await readOwners(ctx, stream);
  const doneSince = onlyUnread ? 0 : scan.startedAt;
  const owners = all.filter(({ id }) => (reads.get(id) ?? Number.NEGATIVE_INFINITY) < doneSince);
  const end = await readLists(ctx, snapshot, { owners, ...(isRepeated && { proofOf: scan.id }) });
  summary.notes.push(...end.notes);
  summary.problems.push(...end.problems, ...describeRefused(end, owners.length));
  const complete = end.problems.length === 0 && end.refused.length === 0;
  await ctx.ledger.scans.finish(scan.id, { ...end, complete });
  const isWhole = complete && end.stable;
  const partly = scan.resumed || onlyUnread;
  const isFiltered = filter !== null || settingsOf(ctx.config, parentOf(stream)).filter !== null;
  await finishScan(ctx, snapshot, {
    complete: isWhole,
    sinceUs: scan.startedAt,
    partly,
    coversTable: isWhole && !partly && !isFiltered && end.answered === all.length,
  });
}
