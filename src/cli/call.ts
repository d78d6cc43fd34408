import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { stringify } from 'lossless-json';
import { nearest } from '../config/fields.ts';
import { messageOf, UsageError } from '../errors.ts';
import { type Operation, type OperationId, operations } from '../platform/operations.ts';
import type { OperationInput } from '../platform/shapes.ts';
import { createMemoryTokenStore } from '../platform/token-store.ts';
import { type CommonOptions, type Io, print } from './io.ts';
import { openConfiguredPlatform } from './open.ts';
import { withSession } from './session.ts';
import { renderTable } from './table.ts';

export interface CallOptions extends CommonOptions {
  readonly list?: boolean;
  readonly param: readonly string[];
  readonly body?: string;
}

/** `plantsync call`: any operation of the platform, raw. The reply is printed as JSON, no digit lost. */
export async function call(io: Io, name: string | undefined, options: CallOptions): Promise<number> {
  if (options.list) return listOperations(io, options);
  const id = findOperation(name);
  const input = { ...splitParameters(id, options.param), body: await readBody(io, options.body) };
  return withSession(io, options, async ({ config, log, closers }) => {
    const platform = openConfiguredPlatform(config, { log, tokens: createMemoryTokenStore() });
    closers.add(() => platform.close());
    // What the contract types, the command line gives as text; the platform reads a query as text anyway.
    const reply = await platform.call(id, input as OperationInput<OperationId>, { signal: io.signal });
    if (reply !== undefined) io.stdout.write(`${stringify(reply, undefined, 2)}\n`);
    return 0;
  });
}

function listOperations(io: Io, options: CallOptions): number {
  const all = Object.entries(operations).map(([id, { method, path }]) => ({ id, method, path }));
  print(io, options, {
    json: all,
    lines: () =>
      renderTable(
        ['operation', 'method', 'path'],
        all.map(({ id, method, path }) => [id, method, path]),
      ),
  });
  return 0;
}

function findOperation(name: string | undefined): OperationId {
  if (name === undefined) throw new UsageError('OPERATION is missing; plantsync call --list shows all');
  if (Object.hasOwn(operations, name)) return name as OperationId;
  const guess = nearest(name, Object.keys(operations));
  throw new UsageError(
    `there is no operation ${name}; ${guess ? `did you mean ${guess}?` : 'plantsync call --list shows all'}`,
  );
}

/** Parameters by where they go: into the path where it names them, else into the query. A repeated one is a list. */
export function splitParameters(
  id: OperationId,
  parameters: readonly string[],
): { path: Record<string, string>; query: Record<string, string | string[]> } {
  const { path: template }: Operation = operations[id];
  const path: Record<string, string> = {};
  const query: Record<string, string | string[]> = {};
  for (const parameter of parameters) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(parameter) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--param ${parameter}: is not name=value`);
    const earlier = query[name];
    if (template.includes(`{${name}}`)) path[name] = value;
    else query[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  const missing = [...template.matchAll(/\{(\w+)\}/g)]
    .flatMap(([, name]) => name ?? [])
    .filter((name) => !(name in path));
  if (missing.length > 0)
    throw new UsageError(`${id} (${template}) needs ${missing.map((name) => `--param ${name}=…`).join(' ')}`);
  return { path, query };
}

async function readBody(io: Io, source: string | undefined): Promise<unknown> {
  if (source === undefined) return undefined;
  try {
    return JSON.parse(source === '-' ? await text(io.stdin) : await readFile(source, 'utf8'));
  } catch (error) {
    throw new UsageError(`--body ${source}: ${messageOf(error)}`);
  }
}
