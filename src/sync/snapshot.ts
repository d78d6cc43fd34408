import pMap from 'p-map';
import { messageOf, PlatformError } from '../errors.ts';
import { type ListRequest, readPages, type ScanEnd } from '../extract/pages.ts';
import { readKeys } from '../load/read-keys.ts';
import { ensureTable } from '../load/tables.ts';
import type { Page } from '../platform/platform.ts';
import type { Stream } from '../streams/define.ts';
import type { SyncContext } from './context.ts';
import { RowSink } from './row-sink.ts';
import { recordRun } from './run.ts';
import type { RunSummary } from './summary.ts';

/** Lists of children read at the same time; how many requests that makes is the client's matter. */
const CHILDREN_AT_ONCE = 32;
/** Scans of a list that changes while it is read. */
const MAX_SCANS = 3;
/** Children failing one after the other before the platform is taken to be at fault. */
const MAX_FAILURES_IN_A_ROW = 20;

/** Brings the table of a stream up to date with the platform's list: platform → pages → rows → table. */
export async function syncSnapshot(ctx: SyncContext, stream: Stream): Promise<RunSummary> {
  return recordRun(ctx, { stream: stream.name, kind: 'scan' }, async (summary) => {
    await ensureTable(ctx.db, ctx.schemas.data, stream);
    const sink = new RowSink(ctx, stream, summary);
    const scanId = await ctx.ledger.scans.start(stream.name);
    const end =
      stream.parent === undefined ? await scanRoot(ctx, stream, sink) : await scanChildren(ctx, stream, sink);
    await sink.flush();
    await ctx.ledger.scans.finish(scanId, end);
    ctx.catalog.expire();
    summary.problems.push(...end.problems);
  });
}

interface StreamScan extends ScanEnd {
  readonly problems: string[];
}

async function scanRoot(ctx: SyncContext, stream: Stream, sink: RowSink): Promise<StreamScan> {
  const line = ctx.progress.start(stream.name, undefined, 'records');
  try {
    const end = await scanList(ctx, listRequest(ctx, stream), async (page) => {
      line.add(page.items.length);
      await sink.add(page);
    });
    line.finish(end.complete ? undefined : 'failed');
    return { ...end, problems: problemsOf(end) };
  } catch (error) {
    line.finish(ctx.signal.aborted ? 'interrupted' : 'failed');
    throw error;
  }
}

async function scanChildren(ctx: SyncContext, stream: Stream, sink: RowSink): Promise<StreamScan> {
  const parent = stream.parent as NonNullable<Stream['parent']>;
  await ensureTable(ctx.db, ctx.schemas.data, parent.stream);
  const parents = await readKeys(ctx.db, ctx.schemas.data, parent.stream);
  const line = ctx.progress.start(stream.name, parents.length, parent.stream.name);
  const sum = { complete: true, stable: true, pages: 0, records: 0, problems: [] as string[] };
  let failedInARow = 0;
  const scanOne = async (row: Record<string, unknown>) => {
    const path = Object.fromEntries(
      Object.entries(parent.path).map(([name, column]) => [name, String(row[column])]),
    );
    const name = Object.values(path).join('/');
    try {
      const end = await scanList(ctx, { ...listRequest(ctx, stream), path }, (page) => sink.add(page, row));
      sum.pages += end.pages;
      sum.records += end.records;
      sum.problems.push(...problemsOf(end).map((problem) => `${name}: ${problem}`));
      failedInARow = 0;
    } catch (error) {
      failedInARow += 1;
      if (isFatal(error) || failedInARow > MAX_FAILURES_IN_A_ROW) throw error;
      sum.problems.push(`${name}: ${messageOf(error)}`);
    }
    line.add(1);
  };
  try {
    await pMap(parents, scanOne, { concurrency: CHILDREN_AT_ONCE, signal: ctx.signal });
    line.finish();
  } catch (error) {
    line.finish(ctx.signal.aborted ? 'interrupted' : 'failed');
    throw error;
  }
  return { ...sum, complete: sum.problems.length === 0 };
}

/** Scans a list until it holds still; the rows of every scan are loaded, so that none is missed. */
async function scanList(
  ctx: SyncContext,
  request: ListRequest,
  onPage: (page: Page) => Promise<void>,
): Promise<ScanEnd> {
  for (let scan = 1; ; scan += 1) {
    const end = await readPages(ctx.platform, request, onPage);
    if (end.stable || !end.complete || scan >= MAX_SCANS) return end;
    ctx.log.info({ operation: request.operation }, 'the list changed while it was read: reading it again');
  }
}

function listRequest(ctx: SyncContext, stream: Stream): ListRequest {
  const members = stream.columns.filter(
    ({ name, source }) => stream.key.includes(name) && !source.startsWith('parent.'),
  );
  return {
    operation: stream.operation,
    pageSize: ctx.config.platform.pageSize,
    signal: ctx.signal,
    keyOf: (record) =>
      keyOf(
        record,
        members.map(({ source }) => source),
      ),
  };
}

function keyOf(record: unknown, members: readonly string[]): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const values = members.map((member) => (record as Record<string, unknown>)[member]);
  return values.some((value) => value === null || value === undefined)
    ? undefined
    : JSON.stringify(values.map(String));
}

function problemsOf(end: ScanEnd): string[] {
  if (end.problem !== undefined) return [end.problem];
  return end.stable
    ? []
    : ['the list kept changing while it was read; entries may be missing until the next scan'];
}

/** True where asking for another child would fail alike. */
function isFatal(error: unknown): boolean {
  return !(error instanceof PlatformError) || error.kind === 'auth' || error.unreachable;
}
