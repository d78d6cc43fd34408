import pMap from 'p-map';
import { messageOf, PlatformError } from '../errors.ts';
import { exists } from '../extract/exists.ts';
import { deleteOrphans, deleteRows } from '../load/delete-rows.ts';
import { countRows, readDueKeys } from '../load/missing.ts';
import { markVanishedSeries } from '../load/vanished.ts';
import type { Stream } from '../streams/define.ts';
import { streams } from '../streams/index.ts';
import { objectProperties } from '../streams/object-properties.ts';
import { ownerColumns, parametersFor } from '../streams/owner.ts';
import type { SyncContext } from './context.ts';
import type { ListReader } from './list-reader.ts';
import type { RowSink } from './row-sink.ts';
import { type ListOwner, makeOwner } from './scope.ts';
import { askerOf, settingsOf } from './stream-settings.ts';
import type { RunSummary } from './summary.ts';

/** Tables with fewer rows may lose any share of them at once. */
const MIN_ROWS_GUARDED = 20;
const ASKED_AT_ONCE = 32;

export interface DeletesRun {
  readonly stream: Stream;
  readonly sink: RowSink;
  readonly reader: ListReader;
  readonly summary: RunSummary;
  /** Whether somebody has said that the missing rows are really gone, however many. */
  readonly acceptDeletes: boolean;
}

type Key = Readonly<Record<string, unknown>>;

/**
 * Deletes, softly, the rows that enough complete scans in a row did not show: unless too many are missing at once, and only those that the
 * platform, asked once more, has no more. Rows whose parent is deleted go with it.
 */
export async function settleMissing(ctx: SyncContext, run: DeletesRun): Promise<void> {
  const { db, schemas, config } = ctx;
  const { stream, summary } = run;
  if (stream.parent !== undefined) summary.deleted += await deleteOrphans(db, schemas, stream, { streams });
  const { filter } = settingsOf(config, stream);
  const misses = config.limits.deleteAfterMissing;
  const counts = await countRows(db, schemas.data, stream, { filter, misses });
  const refusal = run.acceptDeletes ? undefined : tooManyMissing(ctx, run, counts);
  if (refusal !== undefined) summary.problems.push(refusal);
  else if (counts.due > 0) {
    const keys = await confirmGone(ctx, run, { misses, filter });
    summary.deleted += await deleteRows(db, schemas, stream, { keys, streams });
  }
  if (stream === objectProperties && summary.deleted > 0) await markVanishedSeries(db, schemas.data);
}

function tooManyMissing(
  { config }: SyncContext,
  { stream, summary }: DeletesRun,
  { live, missing }: { live: number; missing: number },
): string | undefined {
  const { maxDeleteShare } = config.limits;
  if (live < MIN_ROWS_GUARDED || missing <= maxDeleteShare * live) return undefined;
  const share = Math.round(maxDeleteShare * 100);
  return (
    `${missing} of ${live} rows are missing from the platform's list of ${summary.records}; none is deleted, because that is more than ` +
    `limits.maxDeleteShare (${share} %). If they are really gone: plantsync sync ${stream.name} --accept-deletes`
  );
}

/** The rows that are due and that the platform, asked for each or for its list, really has no more. */
async function confirmGone(
  ctx: SyncContext,
  run: DeletesRun,
  due: { misses: number; filter: string | null },
): Promise<Key[]> {
  const keys = await readDueKeys(ctx.db, ctx.schemas.data, run.stream, due);
  const asker = askerOf(run.stream);
  if (asker !== undefined) return askForEach(ctx, run, { keys, asker });
  // What a filter hides may still be there, and nothing else can be asked.
  if (due.filter !== null) return keepAll(run, keys, 'a filter is set, which may hide them');
  const read = await readAgain(ctx, run, keys);
  const still = await readDueKeys(ctx.db, ctx.schemas.data, run.stream, due);
  return still.filter((key) => read.has(ownerOf(run.stream, key).id));
}

function keepAll({ summary }: DeletesRun, keys: readonly Key[], why: string): Key[] {
  if (keys.length > 0) summary.notes.push(`${keys.length} rows are in the list no more and are kept: ${why}`);
  return [];
}

async function askForEach(
  ctx: SyncContext,
  run: DeletesRun,
  { keys, asker }: { keys: readonly Key[]; asker: Stream },
): Promise<Key[]> {
  const gone: Key[] = [];
  let found = 0;
  const failed: string[] = [];
  const ask = async (key: Key) => {
    const { path } = parametersFor(asker, key);
    try {
      const question = { operation: asker.operation, path, signal: ctx.signal };
      if (await exists(ctx.platform, question)) found += 1;
      else gone.push(key);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      failed.push(messageOf(error));
    }
  };
  await pMap(keys, ask, { concurrency: ASKED_AT_ONCE, signal: ctx.signal });
  if (found > 0)
    run.summary.notes.push(`${found} rows are in the list no more and are kept: the platform still has them`);
  if (failed.length > 0)
    run.summary.problems.push(
      `${failed.length} missing rows are kept, because asking for them failed: ${failed[0]}`,
    );
  return gone;
}

/** Reads the lists that lack rows once more, to an end that does not follow from a total alone; resolves to the ids of those read well. */
async function readAgain(ctx: SyncContext, run: DeletesRun, keys: readonly Key[]): Promise<Set<string>> {
  const owners = new Map(keys.map((key) => ownerOf(run.stream, key)).map((owner) => [owner.id, owner]));
  const read = new Set<string>();
  const readOne = async (owner: ListOwner) => {
    try {
      const end = await run.reader.read(run.sink.open(owner), { owner, proveEnd: true });
      if (end.complete && end.stable) read.add(owner.id);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      run.summary.problems.push(
        `missing rows of ${Object.values(owner.key).join('/')} are kept: ${messageOf(error)}`,
      );
    }
  };
  await pMap(owners.values(), readOne, { concurrency: ASKED_AT_ONCE, signal: ctx.signal });
  await run.sink.flush();
  return read;
}

/** The row of the parent in whose list a row of a child stands. */
function ownerOf(stream: Stream, key: Key): ListOwner {
  const columns = ownerColumns(stream);
  const ofParent = (name: string) => columns.find(({ of }) => of === name)?.name ?? '';
  return makeOwner(
    Object.fromEntries((stream.parent?.stream.key ?? []).map((name) => [name, key[ofParent(name)]])),
  );
}
