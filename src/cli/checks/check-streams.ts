import type { Config } from '../../config/config-schema.ts';
import { PlantsyncError, PlatformError } from '../../errors.ts';
import { doubtOf } from '../../extract/list-doubt.ts';
import { operationInput } from '../../extract/operation-input.ts';
import { readPage } from '../../extract/pages.ts';
import { type ListOperationId, type Operation, operations } from '../../platform/operations.ts';
import type { Platform } from '../../platform/platform.ts';
import { recordsOf, type Stream } from '../../streams/define.ts';
import { parametersFor } from '../../streams/owner.ts';
import { settingsOf } from '../../sync/stream-settings.ts';

type Values = Readonly<Record<string, unknown>>;

/** A raw entry, and the key of the row that it would become. */
export interface FoundEntry {
  readonly entry: Values;
  readonly key: Values;
}

/** The result of one small read of a stream. */
export interface Look {
  readonly found: readonly FoundEntry[];
  /**
   * The entry of the parent whose children were read, as `tree/node`. Undefined for a stream without parent.
   */
  readonly owner?: string;
  /** Present if there is no entry of the parent whose children could be read. */
  readonly noParent?: true;
}

/** The most parents that are tried to find one with children. */
const PARENTS_TRIED = 20;
const onceMore = { retries: 1 };

/**
 * Reads some entries of streams with the configured filters. Each stream is read once, however many others
 * need it.
 */
export class StreamLooks {
  readonly #config: Config;
  readonly #platform: Platform;
  readonly #looks = new Map<Stream, Promise<Look>>();

  constructor(config: Config, platform: Platform) {
    this.#config = config;
    this.#platform = platform;
  }

  /**
   * Reads some entries of a stream. Throws the platform's errors, and a `PlantsyncError` if a reply cannot be
   * used.
   */
  look(stream: Stream): Promise<Look> {
    const look = this.#looks.get(stream) ?? this.#read(stream);
    this.#looks.set(stream, look);
    return look;
  }

  async #read(stream: Stream): Promise<Look> {
    const { parent } = stream;
    const { query } = settingsOf(this.#config, stream);
    if (parent === undefined) return { found: await this.#request(stream, { query }, {}) };
    const { found: parents } = await this.look(parent.stream);
    let last: Look = { found: [], noParent: true };
    let gone: PlatformError | undefined;
    for (const { key } of parents.slice(0, PARENTS_TRIED)) {
      const asked = parametersFor(stream, key);
      const request = { path: asked.path, query: { ...query, ...asked.query } };
      const owner = parent.stream.key.map((name) => String(key[name])).join('/');
      const found = await this.#request(stream, request, key).catch((error: unknown) => {
        // The parent was deleted after it was listed. If all parents are refused, the last refusal is thrown.
        if (!(error instanceof PlatformError) || !error.deniesItem) throw error;
        gone = error;
        return undefined;
      });
      if (found === undefined) continue;
      last = { found, owner };
      if (found.length > 0) break;
    }
    if (last.noParent && gone !== undefined) throw gone;
    return last;
  }

  async #request(
    stream: Stream,
    { path, query }: { path?: Values; query: Values },
    parentKey: Values,
  ): Promise<FoundEntry[]> {
    const entries = await this.#readEntries(stream, { ...(path && { path }), query });
    const usable = entries.flatMap((entry) => keyed(stream, entry, parentKey));
    if (entries.length > 0 && usable.length === 0)
      throw new PlantsyncError(
        'platform.unusable_records',
        `${stream.operation}: ${describeUnusable(stream)}`,
      );
    return usable;
  }

  /**
   * Reads one page. The parameters come as data here; the declaration of the stream fits them to the
   * operation.
   */
  async #readEntries(
    stream: Stream,
    { path, query }: { path?: Values; query: Values },
  ): Promise<readonly unknown[]> {
    const { operation } = stream;
    if ((operations[operation] as Operation).paged) {
      const request = {
        operation: operation as ListOperationId,
        path,
        query,
        pageSize: PARENTS_TRIED,
        ...onceMore,
      };
      const page = await readPage(this.#platform, request, 1);
      // One page is no list: only an empty page can be judged.
      const doubt = page.items.length === 0 ? doubtOf({ ...page, records: 0 }) : undefined;
      if (doubt !== undefined) throw new PlantsyncError('platform.doubtful_list', `${operation}: ${doubt}`);
      return page.items;
    }
    const reply: unknown = await this.#platform.call(operation, operationInput({ path, query }), onceMore);
    try {
      return [...(recordsOf(stream)?.(reply) ?? [reply])];
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new PlantsyncError(
        'platform.malformed_reply',
        `${operation}: the reply is not what the contract says: ${error.message}`,
      );
    }
  }
}

/** Returns the entry with its key. Returns nothing if the entry lacks a part of the key. */
function keyed(stream: Stream, entry: unknown, parentKey: Values): FoundEntry[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const values = entry as Values;
  const key = Object.fromEntries(
    stream.key.map((name) => {
      const source = sourceOf(stream, name);
      return [
        name,
        source.startsWith('parent.') ? parentKey[source.slice('parent.'.length)] : values[source],
      ];
    }),
  );
  const isNamed = Object.values(key).every((value) => value !== undefined && value !== null && value !== '');
  return isNamed ? [{ entry: values, key }] : [];
}

/** Members whose name begins with # are made from other members. */
function describeUnusable(stream: Stream): string {
  const members = stream.key
    .map((name) => sourceOf(stream, name))
    .filter((source) => !/^(parent\.|#)/.test(source));
  const lacking = members.length > 0 ? `, since all lack ${members.join(' or ')}` : '';
  return `none of the entries can be a row${lacking}`;
}

function sourceOf({ columns }: Stream, name: string): string {
  return columns.find((column) => column.name === name)?.source ?? name;
}
