import { existsSync } from 'node:fs';
import { messageOf, UsageError } from '../errors.ts';
import { type Config, configSchema } from './config-schema.ts';
import { applyEnvironment } from './environment.ts';
import { describeIssues } from './issues.ts';
import { configError, describeFirst, type Problem } from './problem.ts';
import { readSecretFiles } from './secret-files.ts';
import { readTextFile } from './text-file.ts';
import { dropReplaced, isTree, mapTexts, mergeTrees, type Tree } from './tree.ts';
import { readYaml } from './yaml.ts';

const DEFAULT_FILE = 'plantsync.yaml';

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
export async function loadConfig({ path, env, overrides = {} }: LoadOptions): Promise<Config> {
  const file = path === false ? undefined : (path ?? findFile(env));
  const problems: Problem[] = [];
  const fromFile = file === undefined ? {} : readTree(file);
  const fromEnvironment: Tree = {};
  problems.push(...applyEnvironment(fromEnvironment, env));
  const above = mergeTrees(fromEnvironment, overrides);
  // A replaced value need not be readable: the ${PLATFORM_SECRET} of the manual may be unset if the secret
  // comes from elsewhere.
  const below = expandVariables(dropReplaced(fromFile, above), env, problems);
  const tree = readSecretFiles(mergeTrees(below, above), problems);
  const parsed = configSchema.safeParse(tree);
  if (parsed.success && problems.length === 0) return parsed.data;
  const issues = parsed.success ? [] : describeIssues(parsed.error.issues);
  const where =
    file === undefined ? `the environment (there is no ${DEFAULT_FILE}; plantsync init writes one)` : file;
  const once = new Map(problems.map((problem) => [problem.text, problem]));
  throw configError(`The configuration in ${where} cannot be used:`, [
    ...describeFirst([...once.values()], (problem) => problem),
    ...issues,
  ]);
}

function findFile(env: NodeJS.ProcessEnv): string | undefined {
  return env.PLANTSYNC_CONFIG || (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
}

function readTree(file: string): Tree {
  const { value = {}, problems } = readYaml(readFile(file));
  if (problems.length > 0)
    throw new UsageError('config.not_yaml', `${file} cannot be read as YAML:`, problems);
  if (value === null) return {};
  if (!isTree(value))
    throw new UsageError('config.not_yaml', `${file} must hold a map of options at its top`);
  return value;
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
      .replace(
        /\$\$\{|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
        (whole, name: string | undefined, fallback: string | undefined) => {
          if (name === undefined) return whole.slice(1);
          const value = env[name] || fallback;
          if (value === undefined)
            problems.push({
              code: 'config.missing_variable',
              text: `${path}: the environment variable ${name} is not set`,
            });
          return value ?? whole;
        },
      );
    return before + text.slice(end).replaceAll('$${', '${');
  };
  return mapTexts(tree, expand) as Tree;
}
