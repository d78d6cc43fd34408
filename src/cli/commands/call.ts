import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { stringify } from 'lossless-json';
import { messageOf, UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import {
  describeOperation,
  type OperationDescription,
  type ParameterDescription,
} from '../../platform/describe-operation.ts';
import { readWrittenJson, type WrittenJson } from '../../platform/json/written-json.ts';
import { type OperationId, operations } from '../../platform/operations.ts';
import type { RawReply } from '../../platform/platform.ts';
import { createMemoryTokenStore } from '../../platform/token/token-store.ts';
import { type CommonOptions, type Io, print, printText } from '../io.ts';
import { openConfiguredPlatform, openConfiguredRedis } from '../open/connect-platform.ts';
import { withSession } from '../open/session.ts';
import { makeTable } from '../output/table.ts';
import { tellWait } from '../output/tell-wait.ts';

export interface CallOptions extends CommonOptions {
  readonly list?: boolean;
  readonly param: readonly string[];
  readonly body?: string;
}

/**
 * Runs `plantsync call`: any operation of the platform, raw. Neither the body nor the printed reply loses a
 * digit.
 */
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
    const reply = await tellWait({ io, log }, 'waiting for the platform to answer', () =>
      platform.callRaw(id, input, { signal: io.signal }),
    );
    printReply(io, id, reply);
    return 0;
  });
}

/**
 * Prints the body of a read. For a write and the authorize step it prints the rest of the reply too: status,
 * Location, code.
 */
function printReply(io: Io, id: OperationId, { body, ...told }: RawReply): void {
  const isWrite = operations[id].kind === 'write' || id === 'authorizeCode';
  const shown = isWrite ? { ...told, ...(body === undefined ? {} : { body }) } : body;
  if (shown !== undefined) printText(io, `${stringify(shown, undefined, 2)}\n`);
}

function listOperations(io: Io, options: CallOptions): number {
  const all = Object.entries(operations).map(([id, { method, path }]) => ({ id, method, path }));
  print(io, options, {
    json: { operations: all },
    lines: () => [
      makeTable(
        ['operation', 'method', { title: 'path', wrap: 20 }],
        all.map(({ id, method, path }) => [id, method, path]),
      ),
    ],
  });
  return 0;
}

/** Prints one operation with its parameters, and whether it takes a body. */
function explain(io: Io, name: string, options: CallOptions): number {
  const operation = describeOperation(findOperation(name));
  const { id, method, path, summary, parameters, body } = operation;
  print(io, options, {
    json: { operation },
    lines: () => [
      `${id}: ${summary} (${method} ${path})`,
      ...(parameters.length === 0
        ? ['no parameters']
        : [
            makeTable(
              [
                'parameter',
                { title: 'in', drop: 1 },
                { title: 'needed', wrap: 6 },
                { title: 'meaning', wrap: 20 },
              ],
              parameters.map((each) => [each.name, each.in, sayNeeded(id, each), sayMeaning(each)]),
            ),
          ]),
      `body: ${body}`,
    ],
  });
  return 0;
}

/** The client sends the fixed values, and its own application id, secret and state, by itself. */
function sayNeeded(id: OperationId, { name, required, only }: ParameterDescription): string {
  if (!required) return 'no';
  const own = ['appid', 'secret', 'state'].includes(name) && operations[id].kind === 'token';
  return only !== undefined || own ? 'sent by itself' : 'yes';
}

function sayMeaning({ about, only }: ParameterDescription): string {
  return only === undefined ? about : `${about === '' ? '' : `${about} `}Takes ${only} alone.`;
}

function findOperation(name: string | undefined): OperationId {
  if (name === undefined)
    throw new UsageError('usage.missing_argument', 'OPERATION is missing; plantsync call --list shows all');
  if (Object.hasOwn(operations, name)) return name as OperationId;
  const guess = nearest(name, Object.keys(operations));
  throw new UsageError(
    'usage.unknown_operation',
    `there is no operation ${name}; ${guess ? `did you mean ${guess}?` : 'plantsync call --list shows all'}`,
  );
}

/**
 * Sorts parameters into those of the path and those of the query. A repeated parameter becomes a list. Throws
 * a `UsageError` for a parameter that the operation does not have, since a platform ignores it without a
 * word.
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
      throw new UsageError('usage.wrong_value', `--param ${parameter}: is not name=value`);
    const { in: place, only } = findParameter(operation, name);
    if (only !== undefined && value !== only)
      throw new UsageError('usage.wrong_value', `${id}: ${name} takes only the value ${only}, not ${value}`);
    const earlier = query[name];
    if (place === 'path') path[name] = value;
    else query[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  const missing = operation.parameters
    .filter((each) => each.in === 'path' && !(each.name in path))
    .map(({ name }) => name);
  if (missing.length > 0)
    throw new UsageError(
      'usage.missing_argument',
      `${id} (${template}) needs ${missing.map((name) => `--param ${name}=…`).join(' ')}`,
    );
  return { path, query };
}

function findParameter({ id, parameters }: OperationDescription, name: string): ParameterDescription {
  const found = parameters.find((parameter) => parameter.name === name);
  if (found !== undefined) return found;
  const known = parameters.map((parameter) => parameter.name);
  const guess = nearest(name, known);
  const advice = known.length === 0 ? 'it has no parameters' : `known are ${known.join(', ')}`;
  throw new UsageError(
    'usage.unknown_parameter',
    `${id} has no parameter ${name}; ${guess === undefined ? advice : `did you mean ${guess}? (${advice})`}`,
  );
}

async function readBody(
  io: Io,
  { id, body }: OperationDescription,
  source: string | undefined,
): Promise<WrittenJson | undefined> {
  if (source === undefined && body === 'required')
    throw new UsageError(
      'usage.missing_argument',
      `${id} needs a JSON body: --body FILE, or --body - for stdin`,
    );
  if (source === undefined) return undefined;
  if (body === 'none')
    throw new UsageError('usage.conflicting_options', `${id} takes no body: leave out --body`);
  try {
    return readWrittenJson(source === '-' ? await buffer(io.stdin) : await readFile(source));
  } catch (error) {
    throw new UsageError('usage.unreadable_body', `--body ${source}: ${messageOf(error)}`);
  }
}
