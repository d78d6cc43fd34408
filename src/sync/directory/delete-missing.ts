import pMap from 'p-map';
import { messageOf, PlatformError } from '../../errors.ts';
import { askExistence, type Existence } from '../../extract/exists.ts';
import { deleteOrphans, deleteRows, markPresent } from '../../load/rows/delete-rows.ts';
import { markVanishedSeries } from '../../load/rows/mark-vanished-series.ts';
import { countRows, readDueKeys } from '../../load/rows/missing-rows.ts';
import { readParents } from '../../load/rows/read-parents.ts';
import type { Stream } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { ownerColumns, parametersFor } from '../../streams/owner.ts';
import type { SyncContext } from '../context.ts';
import type { RunSummary } from '../run-summary.ts';
import { sampleEvenly } from '../sample-evenly.ts';
import { askerOf, settingsOf } from '../stream-settings.ts';
import type { ListReader } from './list-reader.ts';
import { type ListOwner, makeOwner } from './open-list.ts';
import type { RowSink } from './row-sink.ts';

/** Tables with fewer rows may lose any share of them at once, short of all. */
const MIN_ROWS_GUARDED = 20;
const ASKED_AT_ONCE = 32;
/** Scans for which a row that the platform has, though it lists it no more, is not asked for again. */
const REST_SCANS = 10;
/** Rows that are surely there and are asked for, to tell "it is gone" from "you may not ask". */
const CONTROL_ROWS = 3;

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
export async function deleteMissing(ctx: SyncContext, run: DeletesRun): Promise<void> {
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
    summary.deleted += await deleteRows(db, schemas, stream, { keys, misses, streams });
  }
  if (stream === objectProperties && summary.deleted > 0) await markVanishedSeries(db, schemas.data);
}

function tooManyMissing(
  { config }: SyncContext,
  { stream, summary }: DeletesRun,
  { live, missing }: { live: number; missing: number },
): string | undefined {
  const { maxDeleteShare } = config.limits;
  if (missing <= maxDeleteShare * live) return undefined;
  // In a small table few rows are a large share. All of them are an outage, unless the platform can be asked for each.
  if (live < MIN_ROWS_GUARDED && (missing < live || askerOf(stream) !== undefined)) return undefined;
  const share = Math.round(maxDeleteShare * 100);
  return (
    `${missing} of ${live} rows are missing from the platform's list of ${summary.records}; none is deleted, because that is more than ` +
    `limits.maxDeleteShare (${share} %). If they are really gone: plantsync sync ${stream.name} --accept-deletes`
  );
}

interface Due {
  readonly misses: number;
  readonly filter: string | null;
}

/** The rows that are due and that the platform, asked for each or for its list, really has no more. */
async function confirmGone(ctx: SyncContext, run: DeletesRun, due: Due): Promise<Key[]> {
  const keys = await readDueKeys(ctx.db, ctx.schemas.data, run.stream, due);
  const asker = askerOf(run.stream);
  if (asker === undefined) return confirmByList(ctx, run, { keys, due });
  const answers = await askForEach(ctx, run, { keys, asker });
  const refused = answers.refused;
  if (refused.length === 0) return answers.gone;
  if (await answersForListed(ctx, run, { asker, due })) return [...answers.gone, ...refused];
  return [...answers.gone, ...(await confirmByList(ctx, run, { keys: refused, due }))];
}

/** Of these rows, those that their lists, read once more, do not show either. */
async function confirmByList(
  ctx: SyncContext,
  run: DeletesRun,
  { keys, due }: { keys: readonly Key[]; due: Due },
): Promise<Key[]> {
  if (due.filter !== null) {
    run.summary.notes.push(
      `${keys.length} rows are in the list no more and are kept: a filter is set, which may hide them`,
    );
    return [];
  }
  const read = await rereadLists(ctx, run, keys);
  const still = await readDueKeys(ctx.db, ctx.schemas.data, run.stream, due);
  const dueBefore = new Set(keys.map(idOf));
  return still.filter((key) => dueBefore.has(idOf(key)) && read.has(ownerOf(run.stream, key)?.id));
}

const idOf = (key: Key) => JSON.stringify(Object.values(key));

type Answers = Readonly<Record<Existence, Key[]>>;

/** Asks for each row; those that are there after all are left alone for some scans. */
async function askForEach(
  ctx: SyncContext,
  run: DeletesRun,
  { keys, asker }: { keys: readonly Key[]; asker: Stream },
): Promise<Answers> {
  const answers: Answers = { gone: [], present: [], refused: [] };
  const failed: string[] = [];
  const ask = async (key: Key) => {
    try {
      answers[await askFor(ctx, asker, key)].push(key);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      failed.push(messageOf(error));
    }
  };
  await pMap(keys, ask, { concurrency: ASKED_AT_ONCE, signal: ctx.signal });
  const { notes, problems } = run.summary;
  const { present } = answers;
  if (present.length > 0)
    notes.push(`${present.length} rows are in the list no more and are kept: the platform still has them`);
  if (failed.length > 0)
    problems.push(`${failed.length} missing rows are kept, because asking for them failed: ${failed[0]}`);
  await markPresent(ctx.db, ctx.schemas, run.stream, { keys: present, rest: REST_SCANS });
  return answers;
}

function askFor(ctx: SyncContext, asker: Stream, key: Key): Promise<Existence> {
  const { path } = parametersFor(asker, key);
  return askExistence(ctx.platform, { operation: asker.operation, path, signal: ctx.signal });
}

/** Whether the platform answers for any row that it lists: if so, its refusal of another one means that it has it not. */
async function answersForListed(
  ctx: SyncContext,
  { stream }: DeletesRun,
  { asker, due }: { asker: Stream; due: Due },
): Promise<boolean> {
  const rows = await readParents(ctx.db, ctx.schemas.data, stream, due);
  const listed = rows.filter(({ missedScans }) => missedScans === 0);
  for (const { key } of sampleEvenly(listed, CONTROL_ROWS)) {
    try {
      if ((await askFor(ctx, asker, key)) === 'present') return true;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }
  return false;
}

/**
 * Reads the lists that lack rows once more, to an end that does not follow from a total alone; resolves to the ids of the owners of those read
 * well, undefined for the list of the whole platform. That a list lacks a row again is no further miss of it.
 */
async function rereadLists(
  ctx: SyncContext,
  run: DeletesRun,
  keys: readonly Key[],
): Promise<Set<string | undefined>> {
  const owners = new Map(keys.map((key) => ownerOf(run.stream, key)).map((owner) => [owner?.id, owner]));
  const read = new Set<string | undefined>();
  const readOne = async (owner: ListOwner | undefined) => {
    try {
      const scope = run.sink.open(owner, { countsMisses: false });
      const end = await run.reader.read(scope, { ...(owner && { owner }), proveEnd: true });
      if (end.complete && end.stable) read.add(owner?.id);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      // Its rows go with it, once its own list says so.
      if (error.deniesItem) return;
      const where = owner === undefined ? '' : ` of ${Object.values(owner.key).join('/')}`;
      run.summary.problems.push(`missing rows${where} are kept: ${messageOf(error)}`);
    }
  };
  await pMap(owners.values(), readOne, { concurrency: ASKED_AT_ONCE, signal: ctx.signal });
  await run.sink.flush();
  return read;
}

/** The row of the parent in whose list a row of a child stands; undefined where the list is one of the whole platform. */
function ownerOf(stream: Stream, key: Key): ListOwner | undefined {
  const { parent } = stream;
  if (parent === undefined) return undefined;
  const columns = ownerColumns(stream);
  const ofParent = (name: string) => columns.find(({ of }) => of === name)?.name ?? '';
  return makeOwner(Object.fromEntries(parent.stream.key.map((name) => [name, key[ofParent(name)]])));
}
