import { nearest } from '../nearest.ts';
import { listOptions, mapOf, readJsonSchema, type SchemaNode } from './json-schema.ts';
import type { Problem } from './problem.ts';
import { setAt, type Tree } from './tree.ts';
import { readYaml } from './yaml.ts';

const PREFIX = 'PLANTSYNC_';
/**
 * Variables that are no options. Kubernetes sets the last kind in every pod, for a service named plantsync or
 * plantsync-worker. Options such as console.port have two underscores in a row, which those variables do not.
 */
const IGNORED = /^PLANTSYNC_(CONFIG|(?!\w*__)((\w+_)?SERVICE_(HOST|PORT\w*)|(\w+_)?PORT(_\d+\w*)?))$/;

/**
 * Returns the name of the variable that sets an option: `PLANTSYNC_PLATFORM__BASE_URL` for
 * `platform.baseUrl`.
 */
export function variableOf(path: string): string {
  return PREFIX + path.split('.').map(toUpperSnake).join('__');
}

/**
 * Sets the options in `tree` that the environment gives. An empty variable gives nothing. `note` is
 * told which variable has set what. Returns the problems of the variables.
 */
export function applyEnvironment(
  tree: Tree,
  env: NodeJS.ProcessEnv,
  note: (path: readonly string[], variable: string) => void = () => undefined,
): Problem[] {
  const schema = readJsonSchema();
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || !value || IGNORED.test(name)) continue;
    const found = findOption(schema, name.slice(PREFIX.length).split('__'));
    if (found === undefined) problems.push(unknownVariable(name, schema));
    else {
      applyVariable({ tree, path: found.path, value: readValue(found, value), name }, problems);
      note(found.path, name);
    }
  }
  return problems;
}

interface Found {
  readonly path: string[];
  readonly node: SchemaNode;
}

function findOption(node: SchemaNode, [head, ...rest]: string[], path: string[] = []): Found | undefined {
  if (head === undefined) return { path, node };
  const key = Object.keys(mapOf(node) ?? {}).find((candidate) => toUpperSnake(candidate) === head);
  const child = key === undefined ? undefined : mapOf(node)?.[key];
  return key === undefined || child === undefined ? undefined : findOption(child, rest, [...path, key]);
}

/**
 * Reads a list or map from JSON or YAML text. Any other value stays text. An option that takes a text or a
 * list takes the value as a list if it begins with `[`.
 */
function readValue({ node }: Found, value: string): unknown {
  const container =
    node.items !== undefined || mapOf(node) !== undefined || typeof node.additionalProperties === 'object';
  const mayBeList = node.anyOf?.some((form) => form.items !== undefined) && value.trimStart().startsWith('[');
  if (!container && !mayBeList) return value;
  const { value: read, problems } = readYaml(value);
  return problems[0] === undefined ? read : new Error(`cannot be read as YAML or JSON: ${problems[0]}`);
}

function applyVariable(
  set: { tree: Tree; path: string[]; value: unknown; name: string },
  problems: Problem[],
): void {
  if (set.value instanceof Error)
    problems.push({ code: 'config.wrong_value', text: `${set.name}: ${set.value.message}` });
  else setAt(set.tree, set.path, set.value);
}

function unknownVariable(name: string, schema: SchemaNode): Problem {
  const known = listOptions(schema)
    .map((option) => variableOf(option.path))
    .filter((variable) => !variable.includes('['));
  const guess = nearest(name, [...known, ...Object.keys(mapOf(schema) ?? {}).map(variableOf)]);
  return {
    code: 'config.unknown_key',
    text: `${name}: no such option${guess ? `; did you mean ${guess}?` : ''}`,
  };
}

function toUpperSnake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
