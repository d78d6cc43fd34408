import type { Stream } from '../streams/define.ts';
import type { DriftEntry } from '../streams/drift-entry.ts';
import type { SyncContext } from './context.ts';

const meanings: Readonly<Record<DriftEntry['kind'], string>> = {
  new: 'the platform sends a member that is not known here; it is kept in the column extra',
  missing:
    'no record of the platform has this declared member; its column stays empty, unless the details fill it',
  retyped: 'the platform sends values of another type than declared; they are kept in the column extra',
};

/**
 * Records in the ledger how the records of a scan differ from their declaration. Logs each difference once,
 * when it is first found. A scan of some records only cannot tell that a member is missing, or that an
 * earlier difference is over.
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
