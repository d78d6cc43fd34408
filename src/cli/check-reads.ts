import type { Config } from '../config/schema.ts';
import { PlantsyncError } from '../errors.ts';
import type { ListOperationId } from '../platform/operations.ts';
import type { Platform } from '../platform/platform.ts';
import type { OperationInput } from '../platform/shapes.ts';
import type { Stream } from '../streams/define.ts';
import { streams } from '../streams/index.ts';

/** Something to look at: resolves to what was found, or throws. */
export interface Check {
  readonly what: string;
  /** What to do where the error itself does not say it. */
  readonly remedy?: string;
  /** It is of no use without a token: every try would be another login that fails. */
  readonly needsToken?: boolean;
  look(): Promise<string>;
}

type Entry = Readonly<Record<string, unknown>>;

/** How many parents are tried to find one that has children. */
const parentsTried = 20;
const historySec = 3600;

/** One small read of every operation that the configured streams use. */
export function readsOf(config: Config, platform: Platform): Check[] {
  const enabled = streams.filter(({ name }) => config.streams[name]?.enabled);
  const remedy = 'see that the application may use this operation; "plantsync call" shows the reply itself';
  const lists = enabled.map((stream) => ({
    what: stream.operation,
    remedy,
    look: async () => `${(await readSome(platform, stream)).length} entries read`,
  }));
  const names = () => findSeries(platform);
  const current = {
    what: 'readCurrent',
    remedy,
    look: async () => {
      const [name] = await names();
      if (name === undefined) return 'not tried: no object has properties';
      return `${(await platform.readCurrent([name])).values.size} value of ${name} read`;
    },
  };
  const history = {
    what: 'readHistory',
    remedy,
    look: async () => {
      const [name] = await names();
      if (name === undefined) return 'not tried: no object has properties';
      const toSec = Math.floor(Date.now() / 1000);
      const request = { series: [name], fromSec: toSec - historySec, toSec, limit: 10, offset: 0 };
      const { columns } = await platform.readHistory(request);
      return `${columns.reduce((sum, { rows }) => sum + rows.length, 0)} rows of ${name} in the last hour read`;
    },
  };
  return [
    ...lists,
    ...(config.runtime.some((selection) => selection.current.enabled) ? [current] : []),
    ...(config.runtime.some((selection) => selection.history.enabled) ? [history] : []),
  ].map((read) => ({ ...read, needsToken: true }));
}

/** Some entries of a stream's list; of a child's, those of the first parents that have any. */
async function readSome(platform: Platform, stream: Stream): Promise<Entry[]> {
  return (await readWithParent(platform, stream)).map(({ entry }) => entry);
}

async function readWithParent(
  platform: Platform,
  stream: Stream,
): Promise<{ entry: Entry; path: Record<string, string> }[]> {
  if (stream.parent === undefined) return readList(platform, stream.operation, {});
  const parents = await readSome(platform, stream.parent.stream);
  for (const parent of parents.slice(0, parentsTried)) {
    const path = Object.fromEntries(
      Object.entries(stream.parent.path).map(([name, column]) => [
        name,
        readColumn(stream.parent?.stream, column, parent),
      ]),
    );
    const found = await readList(platform, stream.operation, path);
    if (found.length > 0) return found;
  }
  return [];
}

async function readList(
  platform: Platform,
  operation: ListOperationId,
  path: Record<string, string>,
): Promise<{ entry: Entry; path: Record<string, string> }[]> {
  // The declaration of the stream says which parameters its operation takes; here they come as data.
  const input = { path, query: { page: 1, per_page: parentsTried } } as unknown as OperationInput<
    typeof operation
  >;
  const { items } = await platform.listPage(operation, input, { retries: 1 });
  return items.flatMap((item) =>
    typeof item === 'object' && item !== null ? [{ entry: item as Entry, path }] : [],
  );
}

function readColumn(stream: Stream | undefined, column: string, entry: Entry): string {
  const source = stream?.columns.find(({ name }) => name === column)?.source ?? column;
  const value = entry[source];
  if (typeof value === 'string') return value;
  throw new PlantsyncError(`an entry of ${stream?.name} has no ${source}`);
}

/** Names of some series; those that the platform records come first. */
async function findSeries(platform: Platform): Promise<string[]> {
  const stream = streams.find(({ name }) => name === 'object_properties');
  if (stream === undefined) return [];
  const found = await readWithParent(platform, stream);
  const isRecorded = ({ entry }: { entry: Entry }) => entry.persisted === true || entry.logged === true;
  return [...found.filter(isRecorded), ...found].map(
    ({ entry, path }) => `${path.objName}.${String(entry.name)}`,
  );
}
