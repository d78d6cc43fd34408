import { isBooleanLike } from './fields.ts';
import { mapOf, readJsonSchema, type SchemaNode } from './json-schema.ts';
import { isSecretOption } from './secret-option.ts';
import { isTree, type Tree } from './tree.ts';

/** Where the value of an option came from. */
export type Origin =
  | { readonly kind: 'default' }
  /** `variables` are those of the environment whose values the text of the file names: `${NAME}`. */
  | {
      readonly kind: 'file';
      readonly file: string;
      readonly line?: number | undefined;
      readonly variables: readonly string[];
    }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'secretFile'; readonly file: string; readonly option: string }
  | { readonly kind: 'commandLine' };

/** An option with its value, in the form of plantsync.yaml. */
export interface EffectiveOption {
  /** `runtime[0].history.start`. */
  readonly path: string;
  /** Undefined if the option is not set and has no default. Secrets are masked. */
  readonly value: unknown;
  readonly origin: Origin;
  readonly about: string | undefined;
}

/** A source of the configuration, as it was before it was joined with the others. */
export interface Layer {
  readonly tree: Tree;
  readonly originOf: (path: readonly string[]) => Origin;
}

const MASK = '***';

/**
 * Lists every option with its value and its origin. Of several layers the first one that has a value wins.
 * Secrets are masked: by the names of their options, and by `redact` in all other texts.
 */
export function listEffective(layers: readonly Layer[], redact: (text: string) => string): EffectiveOption[] {
  const list = (node: SchemaNode, path: readonly string[]): EffectiveOption[] => {
    if (isList(node)) return listItems(node, path);
    const keys = mapOf(node);
    if (keys === undefined) return [effective(node, path)];
    return Object.entries(keys).flatMap(([key, child]) => list(child, [...path, key]));
  };
  const listItems = (node: SchemaNode, path: readonly string[]): EffectiveOption[] => {
    const { value } = lookUp(layers, path) ?? {};
    const count = Array.isArray(value) ? value.length : defaultCount(node);
    return Array.from({ length: count }, (_, k) => list(node.items ?? {}, [...path, String(k)])).flat();
  };
  const effective = (node: SchemaNode, path: readonly string[]): EffectiveOption => {
    const found = lookUp(layers, path) ?? secretFileOf(layers, path);
    const isSecret = isSecretOption(path);
    const value = found === undefined ? node.default : found.value;
    return {
      path: formatPath(path),
      value: isSecret && value !== undefined ? MASK : redacted(value, redact),
      origin: found?.origin ?? { kind: 'default' },
      about: node.description,
    };
  };
  return list(readJsonSchema(), []);
}

interface Found {
  readonly value: unknown;
  readonly origin: Origin;
}

function lookUp(layers: readonly Layer[], path: readonly string[]): Found | undefined {
  for (const { tree, originOf } of layers) {
    const { value, isDecided } = valueAt(tree, path);
    if (value !== undefined) return { value, origin: originOf(path) };
    if (isDecided) return undefined;
  }
  return undefined;
}

/**
 * Looks for a value in a layer. `isDecided` tells that the layer replaces all that lower layers say. A list
 * does so, and a plain on or off where others have a map.
 */
function valueAt(node: unknown, path: readonly string[]): { value?: unknown; isDecided: boolean } {
  const [head, ...rest] = path;
  if (head === undefined) return { value: node, isDecided: true };
  if (Array.isArray(node)) return { ...valueAt(node[Number(head)], rest), isDecided: true };
  if (isTree(node)) return head in node ? valueAt(node[head], rest) : { isDecided: false };
  if (head === 'enabled' && rest.length === 0 && isBooleanLike(node)) return { value: node, isDecided: true };
  return { isDecided: node !== undefined };
}

/** Finds the file that holds a secret, such as that of `platform.secretFile` for `platform.secret`. */
function secretFileOf(layers: readonly Layer[], path: readonly string[]): Found | undefined {
  const option = [...path.slice(0, -1), `${path.at(-1)}File`];
  const found = lookUp(layers, option);
  if (typeof found?.value !== 'string') return undefined;
  return {
    value: MASK,
    origin: { kind: 'secretFile', file: found.value, option: formatPath(option) },
  };
}

/** Tells whether the entries of a list are maps, whose options are listed one by one. */
function isList(node: SchemaNode): boolean {
  return mapOf(node.items) !== undefined;
}

function defaultCount(node: SchemaNode): number {
  return Array.isArray(node.default) ? node.default.length : 0;
}

function redacted(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact));
  if (!isTree(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item, redact)]));
}

function formatPath(path: readonly string[]): string {
  return path.map((part, k) => (/^\d+$/.test(part) ? `[${part}]` : `${k > 0 ? '.' : ''}${part}`)).join('');
}
