import { messageOf } from '../errors.ts';
import { mapOf, readJsonSchema, type SchemaNode } from './json-schema.ts';
import type { Problem } from './problem.ts';
import { readTextFile } from './text-file.ts';
import { isTree, type Tree } from './tree.ts';

/**
 * Reads the files that options such as `secretFile` name. The content of a file, without line ends at its
 * end, becomes the value of the option without `File` (`secret`). Where there is no such option (`caFile`),
 * the content replaces the name of the file. Unreadable files, and options given twice, go to `problems`.
 */
export function readSecretFiles(tree: Tree, problems: Problem[]): Tree {
  return readSecrets(tree, readJsonSchema(), { path: '', problems });
}

function readSecrets(tree: Tree, node: SchemaNode, found: { path: string; problems: Problem[] }): Tree {
  const keys = mapOf(node) ?? {};
  const read: Tree = {};
  for (const [key, value] of Object.entries(tree)) {
    const path = `${found.path}${key}`;
    const child = keys[key];
    const secret = key.endsWith('File') ? key.slice(0, -'File'.length) : undefined;
    if (isTree(value) && child) read[key] = readSecrets(value, child, { ...found, path: `${path}.` });
    else if (Array.isArray(value) && child?.items)
      read[key] = readSecretsOfList(value, child.items, { ...found, path });
    else if (secret === undefined || child === undefined || typeof value !== 'string') read[key] ??= value;
    else {
      const content = readText(value, path, found.problems);
      if (keys[secret] === undefined) read[key] = content;
      else if (tree[secret] !== undefined)
        found.problems.push({
          code: 'config.secret_twice',
          text: `${path}: give either ${secret} or ${key}, not both`,
        });
      else read[secret] = content;
    }
  }
  return read;
}

function readSecretsOfList(
  list: readonly unknown[],
  node: SchemaNode,
  { path, problems }: { path: string; problems: Problem[] },
): unknown[] {
  return list.map((entry, k) =>
    isTree(entry) ? readSecrets(entry, node, { path: `${path}[${k}].`, problems }) : entry,
  );
}

function readText(file: string, path: string, problems: Problem[]): string {
  try {
    return readTextFile(file).replace(/[\r\n]+$/, '');
  } catch (error) {
    problems.push({ code: 'config.secret_unreadable', text: `${path}: ${messageOf(error)}` });
    // Any text will do: then the secret is not reported as missing as well.
    return '(unreadable)';
  }
}
