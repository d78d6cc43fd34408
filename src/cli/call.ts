import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { stringify } from 'lossless-json';
import { nearest } from '../config/fields.ts';
import { messageOf, UsageError } from '../errors.ts';
import { describeOperation, type OperationDescription } from '../platform/describe-operation.ts';
import { type OperationId, operations } from '../platform/operations.ts';
import type { OperationInput } from '../platform/shapes.ts';
import { createMemoryTokenStore } from '../platform/token-store.ts';
import { type CommonOptions, type Io, print } from './io.ts';
import { openConfiguredPlatform, openConfiguredRedis } from './open-platform.ts';
import { withSession } from './session.ts';
import { renderTable } from './table.ts';

export interface CallOptions extends CommonOptions {
  readonly list?: boolean;
  readonly param: readonly string[];
  readonly body?: string;
}

/** `plantsync call`: any operation of the platform, raw. The reply is printed as JSON, no digit lost. */
export async function call(io: Io, name: string | undefined, options: CallOptions): Promise<number> {
  if (options.list) return name === undefined ? listOperations(io, options) : explain(io, name, options);
  const id = findOperation(name);
  const operation = describeOperation(id);
  const parameters = splitParameters(operation, options.param);
  const input = { ...parameters, body: await readBody(io, operation, options.body) };
  return withSession(io, options, async ({ config, log, closers }) => {
    const platform = await openConfiguredPlatform(config, {
      log,
      closers,
      tokens: createMemoryTokenStore(),
      redis: await openConfiguredRedis(config, { log, closers }),
    });
    // What the contract types, the command line gives as text; the platform reads a query as text anyway.
    const reply = await platform.call(id, input as OperationInput<OperationId>, { signal: io.signal });
    if (reply !== undefined) io.stdout.write(`${stringify(reply, undefined, 2)}\n`);
    return 0;
  });
}

function listOperations(io: Io, options: CallOptions): number {
  const all = Object.entries(operations).map(([id, { method, path }]) => ({ id, method, path }));
  print(io, options, {
    json: { operations: all },
    lines: () =>
      renderTable(
        ['operation', 'method', 'path'],
        all.map(({ id, method, path }) => [id, method, path]),
      ),
  });
  return 0;
}

/** One operation with its parameters, and whether it takes a body. */
function explain(io: Io, name: string, options: CallOptions): number {
  const operation = describeOperation(findOperation(name));
  const { id, method, path, summary, parameters, body } = operation;
  print(io, options, {
    json: { operation },
    lines: () => [
      `${id}: ${summary} (${method} ${path})`,
      ...(parameters.length === 0
        ? ['no parameters']
        : renderTable(
            ['parameter', 'in', 'needed', 'meaning'],
            parameters.map((each) => [each.name, each.in, each.required ? 'yes' : 'no', each.about]),
          )),
      `body: ${body}`,
    ],
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

/**
 * Parameters by where they go: into the path or into the query. A repeated one is a list. Throws a `UsageError` for one that the
 * operation does not have, since a platform ignores it without a word.
 */
export function splitParameters(
  operation: OperationDescription,
  parameters: readonly string[],
): { path: Record<string, string>; query: Record<string, string | string[]> } {
  const { id, path: template } = operation;
  const path: Record<string, string> = {};
  const query: Record<string, string | string[]> = {};
  for (const parameter of parameters) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(parameter) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--param ${parameter}: is not name=value`);
    const earlier = query[name];
    if (findPlace(operation, name) === 'path') path[name] = value;
    else query[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  const missing = operation.parameters
    .filter((each) => each.in === 'path' && !(each.name in path))
    .map(({ name }) => name);
  if (missing.length > 0)
    throw new UsageError(`${id} (${template}) needs ${missing.map((name) => `--param ${name}=…`).join(' ')}`);
  return { path, query };
}

function findPlace({ id, parameters }: OperationDescription, name: string): 'path' | 'query' {
  const found = parameters.find((parameter) => parameter.name === name);
  if (found !== undefined) return found.in;
  const known = parameters.map((parameter) => parameter.name);
  const guess = nearest(name, known);
  const advice = known.length === 0 ? 'it has none' : `known are ${known.join(', ')}`;
  throw new UsageError(
    `${id} has no parameter ${name}; ${guess === undefined ? advice : `did you mean ${guess}? (${advice})`}`,
  );
}

async function readBody(
  io: Io,
  { id, body }: OperationDescription,
  source: string | undefined,
): Promise<unknown> {
  if (source === undefined && body === 'required')
    throw new UsageError(`${id} needs a JSON body: --body FILE, or --body - for stdin`);
  if (source === undefined) return undefined;
  if (body === 'none') throw new UsageError(`${id} takes no body: leave out --body`);
  try {
    return JSON.parse(source === '-' ? await text(io.stdin) : await readFile(source, 'utf8'));
  } catch (error) {
    throw new UsageError(`--body ${source}: ${messageOf(error)}`);
  }
}
