import type { Stream } from '../../streams/define.ts';
import type { SyncContext } from '../context.ts';
import { isInstantsByName, rememberedFact } from '../remembered-fact.ts';
import { type ChildListsEnd, nameOf } from './scan-child-lists.ts';

/** Most owners that one sentence names. */
const NAMES_SHOWN = 5;
/**
 * Most owners that may all be gone at once where only changed owners are asked for. More than these are
 * doubted.
 */
const MAX_ALL_GONE = 20;

/**
 * Divides the owners that the platform denies into gone and refused ones. An owner that was deleted after its
 * list was read is gone, which is a note. An owner that the platform lists again and yet denies is refused.
 * The ledger keeps the denied owners until the next scan of their list decides. Returns the notes.
 */
export async function judgeGoneOwners(
  ctx: SyncContext,
  stream: Stream,
  end: ChildListsEnd,
): Promise<string[]> {
  const fact = rememberedFact(ctx, `denied ${stream.name}`, isInstantsByName);
  const known = new Map(Object.entries((await fact.load()) ?? {}));
  if (end.gone.length === 0 && known.size === 0) return [];
  const listedAt = await readListedAt(ctx, stream);
  const isListedAgain = (id: string) => (known.get(id) ?? Number.POSITIVE_INFINITY) < listedAt;
  const now = ctx.clock();
  const denied = end.gone.map(({ owner: { id } }) => [id, known.get(id) ?? now] as const);
  await (denied.length > 0 ? fact.save(Object.fromEntries(denied)) : fact.forget());
  const isDoubtful = end.answered === 0 && end.gone.length > (stream.updates ? MAX_ALL_GONE : 1);
  const [gone, refused] = [[] as string[], [] as string[]];
  for (const { owner, reason } of end.gone) {
    if (isDoubtful) refused.push(`${nameOf(owner)}: ${reason}`);
    else if (isListedAgain(owner.id))
      refused.push(`${nameOf(owner)} is listed again, but the platform denies it: ${reason}`);
    else gone.push(nameOf(owner));
  }
  end.refused.push(...refused);
  return gone.length === 0 ? [] : [describeGone(stream, gone)];
}

/** Returns when the newest finished scan of the owners' own list began (epoch microseconds). */
async function readListedAt({ ledger }: SyncContext, { parent }: Stream): Promise<number> {
  const scans = await ledger.scans.readLast(parent?.stream.name ?? '', 5);
  return Math.max(
    0,
    ...scans.filter(({ finishedAt }) => finishedAt !== undefined).map((scan) => scan.startedAt),
  );
}

function describeGone({ parent }: Stream, names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return (
    `${names.slice(0, NAMES_SHOWN).join(', ')}${more} ${names.length === 1 ? 'is' : 'are'} gone since ` +
    `${parent?.stream.name} were listed: the next scan of ${parent?.stream.name} says whether for good`
  );
}
