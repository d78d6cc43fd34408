import { deletePartsOfDeleted } from '../load/delete-rows.ts';
import { readParents } from '../load/read-keys.ts';
import { ensureTables } from '../load/tables.ts';
import { computePaths } from '../load/tree-paths.ts';
import { deleteUnnamed } from '../load/unnamed.ts';
import { baseOf, type Stream } from '../streams/define.ts';
import { streams } from '../streams/index.ts';
import { keyText } from '../streams/row-key.ts';
import type { SyncContext } from './context.ts';
import { settleMissing } from './deletes.ts';
import { settleGone } from './gone-owners.ts';
import { isDue } from './is-due.ts';
import { ListReader } from './list-reader.ts';
import { openNodeFinder } from './node-names.ts';
import { reportDrift } from './report-drift.ts';
import { RowSink } from './row-sink.ts';
import { recordRun } from './run.ts';
import { type Owner, type OwnersEnd, type OwnersScan, scanOwners } from './scan-owners.ts';
import { makeOwner } from './scope.ts';
import { detailsOf, settingsOf } from './stream-settings.ts';
import type { RunSummary } from './summary.ts';
import { loadTotals } from './totals.ts';

/** A scan of children that was cut is taken up again, unless it began longer ago. */
const RESUME_WITHIN_MS = 24 * 3_600_000;

export interface SnapshotOptions {
  /** Deletes missing rows however many they are. */
  readonly acceptDeletes?: boolean;
  /** Reads the details of all rows, not only of those that changed or were read long ago. */
  readonly allDetails?: boolean;
  /** Reads the lists of only those rows of the parent whose list was never read. */
  readonly onlyUnread?: boolean;
  /** Milliseconds between the scans of the list: details that are due about now do not wait for the next. */
  readonly periodMs?: number;
}

/** Brings a list up to date, and then the details of what changed in it. */
export async function syncStream(
  ctx: SyncContext,
  stream: Stream,
  options: SnapshotOptions = {},
): Promise<RunSummary[]> {
  const list = await syncSnapshot(ctx, stream, options);
  const details = detailsOf(stream);
  if (details === undefined || list.status === 'failed' || !settingsOf(ctx.config, details).enabled)
    return [list];
  return [list, await syncSnapshot(ctx, details, options)];
}

/** Kind of the runs that read a list. */
export const SCAN = 'scan';

/** Brings the tables of a stream up to date with the platform: platform → pages → rows → tables. */
export async function syncSnapshot(
  context: SyncContext,
  stream: Stream,
  options: SnapshotOptions = {},
): Promise<RunSummary> {
  return recordRun(context, { stream: stream.name, kind: SCAN }, async (summary, ctx) => {
    const { keepRaw } = settingsOf(ctx.config, stream);
    await ensureTables(ctx.db, ctx.schemas.data, stream, { keepRaw });
    const findNode = await openNodeFinder(ctx, stream);
    const sink = new RowSink(ctx, stream, { summary, findNode });
    const reader = new ListReader(ctx, stream, await loadTotals(ctx));
    const snapshot: Snapshot = { stream, summary, sink, reader, options };
    if (stream.parent === undefined) await scanRoot(ctx, snapshot);
    else if (stream.updates) await scanDetails(ctx, snapshot);
    else await scanChildren(ctx, snapshot);
    await ctx.ledger.changes.prune(ctx.config.limits.keepChangesMs);
  });
}

interface Snapshot {
  readonly stream: Stream;
  readonly summary: RunSummary;
  readonly sink: RowSink;
  readonly reader: ListReader;
  readonly options: SnapshotOptions;
}

/** A list of the whole platform. One that was cut begins at page 1. */
async function scanRoot(ctx: SyncContext, snapshot: Snapshot): Promise<void> {
  const { stream, summary, sink, reader } = snapshot;
  const proveEnd = await wasScanned(ctx, stream);
  const scan = await ctx.ledger.scans.begin(stream.name, {});
  const line = ctx.progress.start(stream.name, undefined, 'records');
  try {
    const end = await reader.read(sink.open(), {
      proveEnd,
      onPage: ({ items, total }) => {
        if (total !== undefined && total > 0) line.setTotal(total);
        line.add(items.length);
      },
    });
    line.finish(end.complete ? undefined : 'failed');
    await sink.flush();
    await ctx.ledger.scans.finish(scan.id, { ...end, complete: end.complete && end.problem === undefined });
    if (end.problem !== undefined) summary.problems.push(end.problem);
    if (end.note !== undefined) summary.notes.push(end.note);
    await settle(ctx, snapshot, { complete: end.complete && end.stable, sinceUs: scan.startedAt });
  } catch (error) {
    line.finish(ctx.signal.aborted ? 'interrupted' : 'failed');
    throw error;
  }
}

/** The lists of all rows of the parent. A scan that was cut goes on with those that it had not read. */
async function scanChildren(ctx: SyncContext, snapshot: Snapshot): Promise<void> {
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
  const end = await scanLists(ctx, snapshot, { owners, ...(isRepeated && { proofOf: scan.id }) });
  summary.notes.push(...end.notes);
  summary.problems.push(...end.problems, ...describeRefused(end, owners.length));
  const complete = end.problems.length === 0 && end.refused.length === 0;
  await ctx.ledger.scans.finish(scan.id, { ...end, complete });
  const isWhole = complete && end.stable;
  await settle(ctx, snapshot, {
    complete: isWhole,
    sinceUs: scan.startedAt,
    partly: scan.resumed || onlyUnread,
  });
}

/** The details of the rows whose list entry changed since they were read, and of those that were read long ago. */
async function scanDetails(ctx: SyncContext, snapshot: Snapshot): Promise<void> {
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
  const end = await scanLists(ctx, snapshot, { owners });
  summary.problems.push(...end.problems);
  if (end.answered === 0 && !(await wereEverRead(ctx, stream)))
    summary.notes.push(...describeNeverHad(stream, end));
  else summary.problems.push(...describeRefused(end, owners.length));
  const answered = end.problems.length + end.refused.length === 0;
  const partly = owners.length < all.length;
  await ctx.ledger.scans.finish(scan.id, { ...end, complete: answered && !partly });
  const keys = partly ? owners.map(({ key }) => keyText(Object.values(key))) : undefined;
  await settle(ctx, snapshot, { complete: answered, sinceUs: scan.startedAt, partly, keys });
}

async function scanLists(
  ctx: SyncContext,
  { stream, summary, sink, reader }: Snapshot,
  lists: Pick<OwnersScan, 'owners' | 'proofOf'>,
): Promise<OwnersEnd> {
  const line = ctx.progress.start(stream.name, lists.owners.length, stream.parent?.stream.name ?? '');
  try {
    const end = await scanOwners(ctx, { sink, reader, line, ...lists });
    line.finish();
    await sink.flush();
    summary.notes.push(...(await settleGone(ctx, stream, end)));
    return end;
  } catch (error) {
    line.finish(ctx.signal.aborted ? 'interrupted' : 'failed');
    throw error;
  }
}

/** What follows a scan: deletes, paths of trees, drift, rejects that did not recur. */
async function settle(
  ctx: SyncContext,
  snapshot: Snapshot,
  scan: {
    complete: boolean;
    sinceUs: number;
    partly?: boolean;
    /** Keys of the rejects that the scan would have met; all, if left out. */
    keys?: string[] | undefined;
  },
): Promise<void> {
  const { stream, summary, sink, reader, options } = snapshot;
  const acceptDeletes = options.acceptDeletes ?? false;
  if (!stream.updates) await settleMissing(ctx, { stream, sink, reader, summary, acceptDeletes });
  else await deletePartsOfDeleted(ctx.db, ctx.schemas, baseOf(stream), { streams });
  // Details may fill the name of the node above.
  const base = baseOf(stream);
  if (base.tree !== undefined) await computePaths(ctx.db, ctx.schemas, base);
  await deleteUnnamed(ctx.db, ctx.schemas, stream);
  await reportDrift(ctx, stream, { entries: sink.drift.report(), partly: scan.partly || !scan.complete });
  if (scan.complete)
    await ctx.ledger.rejects.settle({
      stream: stream.name,
      beforeUs: scan.sinceUs,
      ...(scan.keys && { keys: scan.keys }),
    });
  ctx.catalog.expire();
}

async function readOwners(ctx: SyncContext, stream: Stream): Promise<(Owner & { changedAt: number })[]> {
  const parent = (stream.parent as NonNullable<Stream['parent']>).stream;
  const { filter, keepRaw } = settingsOf(ctx.config, parent);
  await ensureTables(ctx.db, ctx.schemas.data, parent, { keepRaw });
  const rows = await readParents(ctx.db, ctx.schemas.data, parent, { filter });
  return rows.map(({ key, changedAt, missedScans }) => ({
    ...makeOwner(key),
    changedAt,
    isMissing: missedScans > 0,
  }));
}

async function wasScanned(ctx: SyncContext, stream: Stream): Promise<boolean> {
  const scans = await ctx.ledger.scans.readLast(stream.name, 5);
  return scans.some(({ finishedAt }) => finishedAt !== undefined);
}

/** Whether any scan of these details brought a record, as far back as the ledger remembers. */
async function wereEverRead(ctx: SyncContext, stream: Stream): Promise<boolean> {
  const scans = await ctx.ledger.scans.readLast(stream.name, 1_000);
  return scans.some(({ records }) => records > 0);
}

function describeRefused({ refused, answered }: OwnersEnd, asked: number): string[] {
  if (answered > 0 || refused.length < 2) return [...refused];
  return [
    `the platform refused all ${refused.length} of ${asked} that were asked for, the first: ${refused[0]}`,
  ];
}

/** The operation of the details may not be open to this application: that is said, and is no failure of the list. */
function describeNeverHad({ operation, name }: Stream, { refused }: OwnersEnd): string[] {
  if (refused.length === 0) return [];
  return [
    `the platform refuses ${operation} for all ${refused.length} that were asked for, so what only ${name} brings stays empty; the first: ${refused[0]}`,
  ];
}
