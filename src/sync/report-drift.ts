import type { Stream } from '../streams/define.ts';
import type { DriftEntry } from '../streams/drift-entry.ts';
import type { SyncContext } from './context.ts';

const meanings: Readonly<Record<DriftEntry['kind'], string>> = {
  new: 'the platform sends a member that is not known here; it is kept in the column extra',
  missing:
    'the platform sends a declared member in no record; its column stays empty, unless the details fill it',
  retyped: 'the platform sends values of another type than declared; they are kept in the column extra',
};

/**
 * Keeps how the records of a scan differ from their declaration, and logs each difference once, when it is first met. A scan of a part
 * of the records cannot tell that a member is gone, nor that an earlier difference is over.
 */
export async function reportDrift(
  ctx: SyncContext,
  stream: Stream,
  { entries, partly }: { entries: readonly DriftEntry[]; partly: boolean },
): Promise<void> {
  const found = partly ? await joinKnown(ctx, stream, entries) : entries;
  for (const { table, member, kind, sample } of await ctx.ledger.drift.replace(stream.name, found))
    ctx.log[kind === 'missing' ? 'info' : 'warn'](
      { stream: stream.name, table, member, sample },
      meanings[kind],
    );
}

async function joinKnown(
  ctx: SyncContext,
  stream: Stream,
  entries: readonly DriftEntry[],
): Promise<DriftEntry[]> {
  const sure = entries.filter(({ kind }) => kind !== 'missing');
  const idOf = ({ table, member, kind }: DriftEntry) => JSON.stringify([table, member, kind]);
  const ids = new Set(sure.map(idOf));
  const known = (await ctx.ledger.drift.list()).filter(
    (entry) => entry.stream === stream.name && !ids.has(idOf(entry)),
  );
  return [...known, ...sure];
}
