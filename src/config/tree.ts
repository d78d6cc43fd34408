import { isBooleanLike } from './fields.ts';

/** The raw configuration: nested maps as in YAML. */
export type Tree = Record<string, unknown>;

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets one value, and makes the maps that lead to it. */
export function setAt(tree: Tree, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    tree[head] = value;
    return;
  }
  const child = tree[head];
  const inner: Tree = isTree(child) ? child : {};
  tree[head] = inner;
  setAt(inner, rest, value);
}

/**
 * Returns `base` with `over` on top: maps are joined key by key, everything else is replaced. A plain on or
 * off below a map becomes the map's `enabled`. Neither argument is changed.
 */
export function mergeTrees(base: Tree, over: Tree): Tree {
  const merged: Tree = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    if (!isTree(value)) merged[key] = value;
    else if (isTree(below)) merged[key] = mergeTrees(below, value);
    else merged[key] = isBooleanLike(below) ? { enabled: below, ...value } : value;
  }
  return merged;
}

/** Returns `base` without the values that `over` replaces. */
export function dropReplaced(base: Tree, over: Tree): Tree {
  const left = Object.entries(base).filter(([key]) => !(key in over) || isTree(over[key]));
  return Object.fromEntries(
    left.map(([key, value]) => {
      const above = over[key];
      return [key, isTree(value) && isTree(above) ? dropReplaced(value, above) : value];
    }),
  );
}

/** Applies `change` to every text in a tree or list. */
export function mapTexts(
  value: unknown,
  change: (text: string, path: string) => unknown,
  path = '',
): unknown {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, change, `${path}[${index}]`));
  if (!isTree(value)) return value;
  const under = path === '' ? '' : `${path}.`;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, change, `${under}${key}`)]),
  );
}
