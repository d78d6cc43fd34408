import type { z } from 'zod';
import { nearest } from '../nearest.ts';
import { variableOf } from './environment.ts';
import { listOptions, mapOf, readJsonSchema, type SchemaNode } from './json-schema.ts';
import { describeFirst, type Problem } from './problem.ts';

type Issue = z.core.$ZodIssue;

/**
 * Describes each problem in one line, such as `platform.baseUrl: missing: …`. Of many problems only the first
 * are described.
 */
export function describeIssues(issues: readonly Issue[]): Problem[] {
  const schema = readJsonSchema();
  const single = issues.flatMap((issue): Issue[] =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue],
  );
  return describeFirst(single, (issue) => ({
    code: codeOfIssue(issue),
    text: describeIssue(issue, schema),
  }));
}

function isMissing({ message }: Issue): boolean {
  return message.startsWith('missing');
}

function codeOfIssue(issue: Issue): Problem['code'] {
  if (issue.code === 'unrecognized_keys') return 'config.unknown_key';
  return isMissing(issue) ? 'config.missing_option' : 'config.wrong_value';
}

function describeIssue(issue: Issue, schema: SchemaNode): string {
  const path = formatPath(issue.path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => describeUnknownKey(issue.path, key, schema)).join('\n');
  if (issue.code === 'invalid_type' && issue.expected === 'object')
    return `${path}: must be a map of options; known here: ${Object.keys(mapOf(nodeAt(schema, issue.path)) ?? {}).join(', ')}`;
  const hint = isMissing(issue) && !path.includes('[') ? ` (or set ${variableOf(path)})` : '';
  const inner = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return `${path}: ${inner}${hint}`;
}

/**
 * Describes an unknown key with the nearest known key: of the same map, else of another map. A right key may
 * stand in the wrong place.
 */
function describeUnknownKey(path: readonly PropertyKey[], key: string, schema: SchemaNode): string {
  const siblings = Object.keys(mapOf(nodeAt(schema, path)) ?? {});
  const guess = nearest(key, siblings) ?? findElsewhere(path, key, schema);
  const advice = guess ? `did you mean ${guess}?` : `known here: ${siblings.join(', ')}`;
  return `${formatPath([...path, key])}: unknown key; ${advice}`;
}

/**
 * Returns the path of an option with this name. For a key of a stream only options of the same stream are
 * proposed. Returns undefined if there is no such option.
 */
function findElsewhere(path: readonly PropertyKey[], key: string, schema: SchemaNode): string | undefined {
  const [section, stream] = path;
  const within = section === 'streams' && stream !== undefined ? `streams.${String(stream)}.` : '';
  return listOptions(schema).find(
    (option) => option.path.startsWith(within) && option.path.split('.').at(-1) === key,
  )?.path;
}

function nodeAt(node: SchemaNode | undefined, path: readonly PropertyKey[]): SchemaNode | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return node;
  return nodeAt(typeof head === 'number' ? node?.items : mapOf(node)?.[String(head)], rest);
}

function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
    .join('');
}
