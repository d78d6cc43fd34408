import { existsSync } from 'node:fs';
import { messageOf, UsageError } from '../errors.ts';
import { type Config, configSchema } from './config-schema.ts';
import { applyEnvironment } from './environment.ts';
import { describeIssues } from './issues.ts';
import type { Layer, Origin } from './origins.ts';
import { configError, describeFirst, type Problem } from './problem.ts';
import { readSecretFiles } from './secret-files.ts';
import { readTextFile } from './text-file.ts';
import { dropReplaced, isTree, mapTexts, mergeTrees, type Tree } from './tree.ts';
import { readYaml } from './yaml.ts';
import { createLineFinder, type FindLine } from './yaml-lines.ts';

const DEFAULT_FILE = 'plantsync.yaml';
/** A variable in a text, `${NAME}` or `${NAME:-default}`, or the escape `$${`. */
const VARIABLE = /\$\$\{|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

export interface LoadOptions {
  /**
   * The file to read. Without a path it is `PLANTSYNC_CONFIG`, else ./plantsync.yaml if it exists. With
   * false, no file is read.
   */
  readonly path?: string | false | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Values that win over file and environment, in the form of the file. */
  readonly overrides?: Tree;
}

/**
 * Reads the configuration: first the file, then the environment, then `overrides`, each winning over the one
 * before. Relative paths in it start at the working folder. Throws one `UsageError` that lists every problem.
 */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  return (await loadWithOrigins(options)).config;
}

/** The configuration, and its sources, the one that wins first. */
export interface LoadedConfig {
  readonly config: Config;
  readonly layers: readonly Layer[];
}

/** Reads the configuration as `loadConfig` does, and keeps where each value came from. */
export async function loadWithOrigins({ path, env, overrides = {} }: LoadOptions): Promise<LoadedConfig> {
  const file = path === false ? undefined : (path ?? findFile(env));
  const problems: Problem[] = [];
  const { tree: fromFile, text } = file === undefined ? { tree: {}, text: '' } : readTree(file);
  const fromEnvironment: Tree = {};
  const variables: SetVariable[] = [];
  problems.push(
    ...applyEnvironment(fromEnvironment, env, (at, variable) => variables.push({ at, variable })),
  );
  const above = mergeTrees(fromEnvironment, overrides);
  // A replaced value need not be readable: the ${PLATFORM_SECRET} of the manual may be unset if the secret
  // comes from elsewhere.
  const below = expandVariables(dropReplaced(fromFile, above), env, problems);
  const tree = readSecretFiles(mergeTrees(below, above), problems);
  const parsed = configSchema.safeParse(tree);
  if (parsed.success && problems.length === 0) {
    const layers = [
      { tree: overrides, originOf: () => ({ kind: 'commandLine' }) as const },
      { tree: fromEnvironment, originOf: (at: readonly string[]) => originOfVariable(variables, at) },
      ...(file === undefined ? [] : [layerOfFile(file, { text, read: fromFile, expanded: below })]),
    ];
    return { config: parsed.data, layers };
  }
  const issues = parsed.success ? [] : describeIssues(parsed.error.issues);
  const where =
    file === undefined ? `the environment (there is no ${DEFAULT_FILE}; plantsync init writes one)` : file;
  const once = new Map(problems.map((problem) => [problem.text, problem]));
  throw configError(`The configuration in ${where} cannot be used:`, [
    ...describeFirst([...once.values()], (problem) => problem),
    ...issues,
  ]);
}

/** A variable of the environment, and the option that it has set. */
interface SetVariable {
  readonly at: readonly string[];
  readonly variable: string;
}

/** Returns the variable that set a value: the last one of the value itself, or of a map or list around it. */
function originOfVariable(variables: readonly SetVariable[], path: readonly string[]): Origin {
  const found = variables.findLast(({ at }) => at.every((part, k) => part === path[k]));
  return { kind: 'environment', variable: found?.variable ?? '' };
}

/** Makes the layer of the file. The lines are looked up only if somebody asks for them. */
function layerOfFile(
  file: string,
  { text, read, expanded }: { text: string; read: Tree; expanded: Tree },
): Layer {
  let findLine: FindLine | undefined;
  return {
    tree: expanded,
    originOf(path) {
      findLine ??= createLineFinder(text);
      const line = findLine(path) ?? findLine(path.slice(0, -1));
      return { kind: 'file', file, line, variables: namesIn(textAt(read, path)) };
    },
  };
}

function textAt(node: unknown, [head, ...rest]: readonly string[]): unknown {
  if (head === undefined) return node;
  return Array.isArray(node) || isTree(node) ? textAt((node as Tree)[head], rest) : undefined;
}

/** Lists the variables that a text names as `${NAME}`. */
function namesIn(text: unknown): string[] {
  if (typeof text !== 'string') return [];
  return [...text.matchAll(VARIABLE)].flatMap(([, name]) => name ?? []);
}

function findFile(env: NodeJS.ProcessEnv): string | undefined {
  return env.PLANTSYNC_CONFIG || (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
}

function readTree(file: string): { tree: Tree; text: string } {
  const text = readFile(file);
  const { value = {}, problems } = readYaml(text);
  if (problems.length > 0)
    throw new UsageError('config.not_yaml', `${file} cannot be read as YAML:`, problems);
  if (value === null) return { tree: {}, text };
  if (!isTree(value))
    throw new UsageError('config.not_yaml', `${file} must hold a map of options at its top`);
  return { tree: value, text };
}

function readFile(file: string): string {
  try {
    return readTextFile(file);
  } catch (error) {
    throw new UsageError(
      'config.file_unreadable',
      `The configuration file cannot be read: ${messageOf(error)}`,
    );
  }
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` in all texts. `$${` stands for `${`. Adds variables that are not
 * set to `problems`.
 */
function expandVariables(tree: Tree, env: NodeJS.ProcessEnv, problems: Problem[]): Tree {
  const expand = (text: string, path: string) => {
    // A variable cannot end after the last }. Looking for an end from every ${ would take time with the
    // square of the length.
    const end = text.lastIndexOf('}') + 1;
    const before = text
      .slice(0, end)
      .replace(VARIABLE, (whole, name: string | undefined, fallback: string | undefined) => {
        if (name === undefined) return whole.slice(1);
        const value = env[name] || fallback;
        if (value === undefined)
          problems.push({
            code: 'config.missing_variable',
            text: `${path}: the environment variable ${name} is not set`,
          });
        return value ?? whole;
      });
    return before + text.slice(end).replaceAll('$${', '${');
  };
  return mapTexts(tree, expand) as Tree;
}
