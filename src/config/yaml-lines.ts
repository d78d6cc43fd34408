import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';

/**
 * Finds the line of a value in YAML by the path to the value. Returns undefined if the text does not hold the
 * value. Lines count from 1.
 */
export type FindLine = (path: readonly string[]) => number | undefined;

/** Makes the function that finds lines in a text that was read without a problem before. */
export function createLineFinder(text: string): FindLine {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    uniqueKeys: false,
    merge: true,
    lineCounter: lines,
    logLevel: 'error',
  });
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const find = (node: unknown, [head, ...rest]: readonly string[], offset?: number): number | undefined => {
    if (head === undefined) return offset;
    const found = childOf(resolve(node), head, resolve);
    return found && find(found.value, rest, found.offset);
  };
  return (path) => {
    const offset = find(document.contents, path);
    return offset === undefined ? undefined : lines.linePos(offset).line;
  };
}

interface Child {
  readonly value: unknown;
  /** Where the key of the value begins, or the value itself if it stands in a list. */
  readonly offset: number | undefined;
}

function childOf(node: unknown, key: string, resolve: (node: unknown) => unknown): Child | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(key)];
    return item === undefined ? undefined : { value: item, offset: startOf(item) };
  }
  if (!isMap(node)) return undefined;
  // Of equal keys the last one counts. Such a text is refused before.
  const own = node.items.findLast((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  if (own !== undefined) return { value: own.value, offset: startOf(own.key) };
  for (const source of mergedInto(node, resolve)) {
    const found = childOf(source, key, resolve);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Lists the maps that merge keys (`<<`) bring into a map. The first one that has a key wins. */
function mergedInto(node: YAMLMap, resolve: (node: unknown) => unknown): unknown[] {
  return node.items.flatMap(({ key, value }) => {
    if (!isScalar(key) || key.source !== '<<') return [];
    const source = resolve(value);
    return isSeq(source) ? source.items.map(resolve) : [source];
  });
}

function startOf(node: unknown): number | undefined {
  return (node as Node).range?.[0];
}
