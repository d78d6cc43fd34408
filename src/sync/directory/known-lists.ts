import { hash } from 'node:crypto';
import type { KnownContent } from '../../ledger/reads.ts';
import { readTableIdentities } from '../../load/rows/table-identities.ts';
import { baseOf, type Stream } from '../../streams/define.ts';
import type { NodePath } from '../../streams/node-finder.ts';
import type { SyncContext } from '../context.ts';
import { settingsOf } from '../stream-settings.ts';
import { type ListContent, readContent } from './list-content.ts';

/** Id of the owner of a list of the whole platform. */
const WHOLE_PLATFORM = '[]';
/** Lists are compared row by row at different times: each a random part of this share earlier. */
const EARLIER_SHARE = 0.25;
const SEAL_CHARACTERS = 16;
/** Lists of which the ledger is asked at once. */
const PORTION = 1_000;

/** The row whose list is read, by the id and the time of its last change. */
interface KnownOwner {
  readonly id: string;
  readonly changedAt?: number;
}

/** What is known of one list before it is read. */
export interface KnownList {
  /** Id of the list in the ledger. */
  readonly id: string;
  /** What the tables hold of the list. Undefined if the rows have to be compared. */
  readonly content: ListContent | undefined;
  /** Name of the last load of the list. */
  readonly version: string | undefined;
  /** The seal of the list's content. Undefined if no content may be kept. */
  readonly seal: string | undefined;
}

export interface KnownListsOptions {
  /** Whether every list is compared row by row. */
  readonly isFull: boolean;
  /** Organization nodes that records name, if the stream has such records. */
  readonly nodes: readonly NodePath[] | undefined;
}

/**
 * Knows what the lists of a stream held when they were last loaded. A list that still holds the same needs
 * no look at its rows, as long as nothing else has changed that shapes them (docs/decisions/0038).
 */
export class KnownLists {
  readonly #readContents: (ids: readonly string[]) => Promise<ReadonlyMap<string, KnownContent>>;
  readonly #seal: string;
  readonly #maxAgeSec: number;
  /** When the lists are read (epoch seconds). */
  readonly nowSec: number;

  constructor(
    readContents: (ids: readonly string[]) => Promise<ReadonlyMap<string, KnownContent>>,
    facts: { seal: string; maxAgeSec: number; nowSec: number },
  ) {
    this.#readContents = readContents;
    this.#seal = facts.seal;
    this.#maxAgeSec = facts.maxAgeSec;
    this.nowSec = facts.nowSec;
  }

  /** Finds what is known of the list of an owner, or of the whole platform. */
  async find(owner: KnownOwner | undefined): Promise<KnownList> {
    const contents = await this.#readContents([owner?.id ?? WHOLE_PLATFORM]);
    return this.#judge(owner, contents);
  }

  /** Finds what is known of the list of each owner, in portions. So a large plant takes little memory. */
  async *findEach<Owner extends KnownOwner>(
    owners: readonly Owner[],
  ): AsyncGenerator<{ owner: Owner; known: KnownList }[]> {
    for (let k = 0; k < owners.length; k += PORTION) {
      const portion = owners.slice(k, k + PORTION);
      const contents = await this.#readContents(portion.map(({ id }) => id));
      yield portion.map((owner) => ({ owner, known: this.#judge(owner, contents) }));
    }
  }

  /**
   * Judges whether the content of a list is still that of the tables. The rows of a list are deleted with its
   * owner. So its content is sealed with the time when the owner's row last changed.
   */
  #judge(owner: KnownOwner | undefined, contents: ReadonlyMap<string, KnownContent>): KnownList {
    const id = owner?.id ?? WHOLE_PLATFORM;
    const { content: text, version } = contents.get(id) ?? {};
    const seal = owner === undefined ? this.#seal : this.#sealOf(owner);
    const content = text === undefined || seal === undefined ? undefined : readContent(text);
    const isValid = content !== undefined && content.seal === seal && this.#isFresh(id, content);
    return { id, version, seal, content: isValid ? content : undefined };
  }

  #sealOf({ changedAt }: KnownOwner): string | undefined {
    return changedAt === undefined ? undefined : `${this.#seal}${changedAt}`;
  }

  #isFresh(id: string, { comparedSec }: ListContent): boolean {
    const ageSec = Math.abs(this.nowSec - comparedSec);
    return ageSec < this.#maxAgeSec * (1 - EARLIER_SHARE * shareOf(id));
  }
}

/** Prepares to look up what is known of the lists of a stream. The tables of the stream must exist. */
export async function openKnownLists(
  ctx: SyncContext,
  stream: Stream,
  { isFull, nodes }: KnownListsOptions,
): Promise<KnownLists> {
  const { config, db, schemas, version } = ctx;
  const { query, filter, keepRaw } = settingsOf(config, stream);
  const { timezone, dialect } = config.platform;
  const tables = [baseOf(stream), ...(stream.parts ?? [])].map(({ name }) => name);
  const facts = {
    ...{ version, stream, query, filter, keepRaw, timezone, nodes },
    // Filters that choose among the records are not in the query.
    filters: config.streams[baseOf(stream).name]?.filter,
    zoneOverride: dialect.zoneOverride,
    tables: await readTableIdentities(db, schemas.data, tables),
  };
  // The functions of the declaration count by their text.
  const text = JSON.stringify(facts, (_, value) => (typeof value === 'function' ? String(value) : value));
  const seal = hash('sha256', text, 'base64').slice(0, SEAL_CHARACTERS);
  const maxAgeSec = isFull ? 0 : config.limits.compareUnchangedMs / 1000;
  const readContents = (ids: readonly string[]) => ctx.ledger.reads.listContents(stream.name, ids);
  return new KnownLists(readContents, { seal, maxAgeSec, nowSec: Math.floor(ctx.clock() / 1e6) });
}

/** Returns a number from 0 to 1 that is always the same for a text. */
function shareOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return (Math.imul(hash, 0x9e3779b1) >>> 0) / 2 ** 32;
}
