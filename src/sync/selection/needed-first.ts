import { HISTORY } from '../../series/history-stream.ts';
import type { Stream } from '../../streams/define.ts';
import { streams } from '../../streams/index.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import { objects } from '../../streams/objects.ts';
import type { SyncContext } from '../context.ts';
import { CURRENT } from '../stream-names.ts';
import { settingsOf } from '../stream-settings.ts';
import { isNamedInFull } from './select-series.ts';

/** Scans of a stream that are looked through. The ledger keeps no more. */
const SCANS_READ = 1_000;

/** Streams of the directory that a command reads before its own work. */
export interface NeededFirst {
  readonly streams: readonly Stream[];
  /**
   * Whether a scan of one of these streams has brought records, although none has read the whole stream. Only
   * the rest is read then.
   */
  readonly isRest: boolean;
}

/**
 * Lists the streams of the directory that the named streams need and that were never read to their end,
 * parents first. History and current values need the properties of objects, unless all selections are named
 * in full. A stream of children needs its parents. Streams that are switched off, or are among the names, are
 * left out.
 */
export async function listNeededFirst(ctx: SyncContext, names: readonly string[]): Promise<NeededFirst> {
  const needed = new Set<Stream>();
  const addWithParents = (stream: Stream | undefined): void => {
    if (stream === undefined || needed.has(stream)) return;
    needed.add(stream);
    addWithParents(stream.parent?.stream);
  };
  for (const stream of streams) if (names.includes(stream.name)) addWithParents(stream.parent?.stream);
  if ((names.includes(HISTORY) || names.includes(CURRENT)) && needsDirectory(ctx))
    addWithParents(objectProperties);
  const asked = streams.filter((stream) => needed.has(stream) && !names.includes(stream.name));
  return findUnread(ctx, asked);
}

/**
 * Says in one sentence that series may be unknown, because the directory was read only in part. Returns
 * undefined in all other cases.
 */
export async function describeUnreadDirectory(ctx: SyncContext): Promise<string | undefined> {
  if (!needsDirectory(ctx)) return undefined;
  const { streams: unread, isRest } = await findUnread(ctx, [objects, objectProperties]);
  if (!isRest) return undefined;
  const names = unread.map(({ name }) => name).join(' and ');
  return `${names}: no scan has read all of it yet, so there may be more series; "plantsync sync ${names.replace(' and', '')}" reads the rest`;
}

async function findUnread(ctx: SyncContext, asked: readonly Stream[]): Promise<NeededFirst> {
  const unread: Stream[] = [];
  let isRest = false;
  for (const stream of asked) {
    if (!settingsOf(ctx.config, stream).enabled) continue;
    const finished = await readFinished(ctx, stream);
    if (finished.some(({ complete }) => complete)) continue;
    unread.push(stream);
    isRest ||= finished.some(({ records }) => records > 0);
  }
  return { streams: unread, isRest };
}

/** Tells whether a finished scan of the stream has brought any record, or has proven that there is none. */
export async function wasRead(ctx: Pick<SyncContext, 'ledger'>, stream: Stream): Promise<boolean> {
  const finished = await readFinished(ctx, stream);
  return finished.some(({ complete, records }) => complete || records > 0);
}

async function readFinished({ ledger }: Pick<SyncContext, 'ledger'>, { name }: Stream) {
  const scans = await ledger.scans.readLast(name, SCANS_READ);
  return scans.filter(({ finishedAt }) => finishedAt !== undefined);
}

function needsDirectory({ config }: SyncContext): boolean {
  return config.runtime.some(
    (selection) => (selection.current.enabled || selection.history.enabled) && !isNamedInFull(selection),
  );
}
