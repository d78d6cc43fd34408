import pMap from 'p-map';
import { describeError, PlatformError } from '../../errors.ts';
import { askExistence, type Existence } from '../../extract/exists.ts';
import { deleteOrphans, deleteRows, markPresent } from '../../load/rows/delete-rows.ts';
import { markVanishedSeries } from '../../load/rows/mark-vanished-series.ts';
import { countRows, type RowCounts, readDueKeys } from '../../load/rows/missing-rows.ts';
import { readParents } from '../../load/rows/read-parents.ts';
import type { Stream } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { ownerColumns, parametersFor } from '../../streams/owner.ts';
import type { SyncContext } from '../context.ts';
import { plural } from '../count-text.ts';
import type { RunSummary } from '../run-summary.ts';
import { sampleEvenly } from '../sample-evenly.ts';
import { askerOf, settingsOf } from '../stream-settings.ts';
import type { ListReader } from './list-reader.ts';
import { type ListOwner, makeOwner } from './open-list.ts';
import type { RowSink } from './row-sink.ts';

/** Tables with fewer rows may lose any share of their rows at once, but not all rows. */
const MIN_ROWS_GUARDED = 20;
const ASKED_AT_ONCE = 32;
/** Scans before the platform is asked again for a row that it still has, but no longer lists. */
const REST_SCANS = 10;
/**
 * Listed rows that the platform is asked for, to tell a deleted row from an operation that refuses every row.
 */
const CONTROL_ROWS = 3;

export interface DeletesRun {
  readonly stream: Stream;
  readonly sink: RowSink;
  readonly reader: ListReader;
  readonly summary: RunSummary;
  /** Whether somebody has confirmed that the missing rows are really gone, however many they are. */
  readonly acceptDeletes: boolean;
  /** Number of rows that the table has after the scan. Undefined if the scan cannot tell. */
  readonly rowsExpected: number | undefined;
}

type Key = Readonly<Record<string, unknown>>;

/**
 * Soft-deletes the rows that enough complete scans in a row did not show. Before that the platform is asked
 * once more, and rows that it still has are kept. If too many rows are missing at once, they are all kept.
 * Rows whose parent is deleted are deleted in any case.
 */
export async function deleteMissing(ctx: SyncContext, run: DeletesRun): Promise<void> {
  const { db, schemas, config } = ctx;
  const { stream, summary } = run;
  if (stream.parent !== undefined) summary.deleted += await deleteOrphans(db, schemas, stream, { streams });
  const { filter } = settingsOf(config, stream);
  const misses = config.limits.deleteAfterMissing;
  const counts = await countRows(db, schemas.data, stream, { filter, misses });
  await noticeForeignChange(ctx, run, counts);
  const refusal = run.acceptDeletes ? undefined : tooManyMissing(ctx, run, counts);
  if (refusal !== undefined) summary.problems.push(refusal);
  else if (counts.due > 0) {
    const keys = await confirmGone(ctx, run, { misses, filter });
    summary.deleted += await deleteRows(db, schemas, stream, { keys, misses, streams });
  }
  if (stream === objectProperties && summary.deleted > 0) await markVanishedSeries(db, schemas.data);
}

/**
 * Notices that somebody else has deleted or added rows. Unchanged lists were not compared with the table, so
 * the next scan compares all of them.
 */
async function noticeForeignChange(
  { ledger }: SyncContext,
  { stream, summary, rowsExpected }: DeletesRun,
  { listed }: RowCounts,
): Promise<void> {
  if (rowsExpected === undefined || listed === rowsExpected) return;
  await ledger.reads.forgetContents(stream.name);
  summary.notes.push(
    `the table has ${plural(listed, 'row', 'rows')}, and the lists have ${rowsExpected}: somebody else has changed the table; the next scan compares every row`,
  );
}

function tooManyMissing(
  { config }: SyncContext,
  { stream, summary }: DeletesRun,
  { live, missing }: { live: number; missing: number },
): string | undefined {
  const { maxDeleteShare } = config.limits;
  if (missing <= maxDeleteShare * live) return undefined;
  // In a small table few rows are a large share. The loss of all rows looks like an outage, unless the
  // platform can be asked for each row.
  if (live < MIN_ROWS_GUARDED && (missing < live || askerOf(stream) !== undefined)) return undefined;
  const share = Math.round(maxDeleteShare * 100);
  return (
    `${missing} of ${live} rows are missing from the platform's list of ${summary.records}; none is deleted. More rows are missing than ` +
    `limits.maxDeleteShare (${share} %) allows. If they are really gone: plantsync sync ${stream.name} --accept-deletes`
  );
}

interface Due {
  readonly misses: number;
  readonly filter: string | null;
}

/**
 * Returns the due rows that the platform really no longer has. The platform is asked for each row, or for the
 * row's list.
 */
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

/** Reads the lists of the given rows once more. Returns the rows that are still missing from their lists. */
async function confirmByList(
  ctx: SyncContext,
  run: DeletesRun,
  { keys, due }: { keys: readonly Key[]; due: Due },
): Promise<Key[]> {
  if (due.filter !== null) {
    run.summary.notes.push(
      `${plural(keys.length, 'row is', 'rows are')} no longer in the list and kept: a filter is set, which may hide them`,
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

/** Asks the platform for each row. A row that it still has is not asked for again for some scans. */
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
      failed.push(describeError(error));
    }
  };
  await pMap(keys, ask, { concurrency: ASKED_AT_ONCE, signal: ctx.signal });
  const { notes, problems } = run.summary;
  const { present } = answers;
  if (present.length > 0)
    notes.push(
      `${plural(present.length, 'row is', 'rows are')} no longer in the list and kept: the platform still has them`,
    );
  if (failed.length > 0)
    problems.push(`${failed.length} missing rows are kept, because asking for them failed: ${failed[0]}`);
  await markPresent(ctx.db, ctx.schemas, run.stream, { keys: present, rest: REST_SCANS });
  return answers;
}

function askFor(ctx: SyncContext, asker: Stream, key: Key): Promise<Existence> {
  const { path } = parametersFor(asker, key);
  return askExistence(ctx.platform, { operation: asker.operation, path, signal: ctx.signal });
}

/**
 * Tells whether the platform answers for any row that it lists. If the platform does, its refusal of another
 * row means that it does not have the other row.
 */
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
 * Reads the lists that lack rows once more. The end of each list must be proven by more than a total. Returns
 * the ids of the owners whose lists were read well; `undefined` stands for the list of the whole platform. A
 * row that a list lacks again has not missed another scan.
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
      const scope = await run.sink.open(owner, { countsMisses: false });
      const end = await run.reader.read(scope, { ...(owner && { owner }), proveEnd: true });
      if (end.complete && end.stable) read.add(owner?.id);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      // These rows are deleted with their owner, once a list lacks the owner.
      if (error.deniesItem) return;
      const where = owner === undefined ? '' : ` of ${Object.values(owner.key).join('/')}`;
      run.summary.problems.push(`missing rows${where} are kept: ${describeError(error)}`);
    }
  };
  await pMap(owners.values(), readOne, { concurrency: ASKED_AT_ONCE, signal: ctx.signal });
  await run.sink.flush();
  return read;
}

/**
 * Returns the parent row whose list holds a row of a child. Returns undefined for a list of the whole
 * platform.
 */
function ownerOf(stream: Stream, key: Key): ListOwner | undefined {
  const { parent } = stream;
  if (parent === undefined) return undefined;
  const columns = ownerColumns(stream);
  const ofParent = (name: string) => columns.find(({ of }) => of === name)?.name ?? '';
  return makeOwner(Object.fromEntries(parent.stream.key.map((name) => [name, key[ofParent(name)]])));
}
