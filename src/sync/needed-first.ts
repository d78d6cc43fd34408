import { HISTORY } from '../series/history-stream.ts';
import type { Stream } from '../streams/define.ts';
import { streams } from '../streams/index.ts';
import { objectProperties } from '../streams/object-properties.ts';
import type { SyncContext } from './context.ts';
import { isNamedInFull } from './select-series.ts';
import { settingsOf } from './stream-settings.ts';
import { CURRENT } from './write-poll.ts';

/** Scans of a stream that are looked through: as many as the ledger keeps. */
const SCANS_READ = 1_000;

/**
 * Lists the streams of the directory that the named streams need and that were never read, parents first.
 * History and current values need the properties of objects, unless all selections are named in full.
 * A stream of children needs its parents. Streams that are switched off, or are among the names, are left out.
 */
export async function listNeededFirst(ctx: SyncContext, names: readonly string[]): Promise<Stream[]> {
  const needed = new Set<Stream>();
  const addWithParents = (stream: Stream | undefined): void => {
    if (stream === undefined || needed.has(stream)) return;
    needed.add(stream);
    addWithParents(stream.parent?.stream);
  };
  for (const stream of streams) if (names.includes(stream.name)) addWithParents(stream.parent?.stream);
  if ((names.includes(HISTORY) || names.includes(CURRENT)) && needsDirectory(ctx))
    addWithParents(objectProperties);
  const missing: Stream[] = [];
  for (const stream of streams)
    if (
      needed.has(stream) &&
      !names.includes(stream.name) &&
      settingsOf(ctx.config, stream).enabled &&
      !(await wasRead(ctx, stream))
    )
      missing.push(stream);
  return missing;
}

/** True once a scan of the stream has come to its end with any record, or has proven that there is none. */
export async function wasRead({ ledger }: Pick<SyncContext, 'ledger'>, { name }: Stream): Promise<boolean> {
  const scans = await ledger.scans.readLast(name, SCANS_READ);
  return scans.some(
    ({ finishedAt, complete, records }) => finishedAt !== undefined && (complete || records > 0),
  );
}

function needsDirectory({ config }: SyncContext): boolean {
  return config.runtime.some(
    (selection) => (selection.current.enabled || selection.history.enabled) && !isNamedInFull(selection),
  );
}
