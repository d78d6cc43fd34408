import { Agent, type Dispatcher, request } from 'undici';
import { messageOf, StoreError } from '../../../errors.ts';
import { remedyOfCertificate, trust } from '../../../tls.ts';
import type { InfluxTarget } from './options.ts';
import { remedyOfLogin } from './write-replies.ts';

/** The number of points in one part of an answer. */
const CHUNK_ROWS = 5_000;
const MAX_LINE_CHARACTERS = 256 * 1024 * 1024;

export interface InfluxReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON. Undefined if the body is no JSON. */
  readonly json: unknown;
}

/** One table of an InfluxQL answer. */
export interface InfluxTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** One table of an answer in parts: points of one series, or some of them. */
export interface InfluxPart extends InfluxTable {
  /** The tags that the points were grouped by. Empty text for a tag that the series does not have. */
  readonly tags: Readonly<Record<string, string>>;
}

/** Everything except writing: asks what a server is and has, and reads points. */
export interface InfluxHttp {
  get(path: string): Promise<InfluxReply>;
  /**
   * Runs one InfluxQL statement (1.x). Times come as epoch microseconds. Throws a `StoreError` with the
   * server's message.
   */
  query(statement: string): Promise<InfluxTable[]>;
  /**
   * Runs a statement with an answer of any size (all versions). The answer comes in parts, each as soon as it
   * arrives.
   */
  stream(statement: string): AsyncIterable<InfluxPart>;
  /**
   * Sends a JSON body. `what` names the work for the error. Throws a `StoreError` if the server does not
   * accept the body.
   */
  post(path: string, body: object, what: string): Promise<void>;
  close(): Promise<void>;
}

interface Sent {
  readonly type: string;
  readonly body: string;
}

export function openInfluxHttp(target: InfluxTarget): InfluxHttp {
  const { timeoutMs } = target;
  const dispatcher = new Agent({
    connect: { timeout: timeoutMs, ...trust(target.options.ca, 'influx.caFile') },
  });
  const ask = (path: string, sent?: Sent, signal?: AbortSignal) =>
    request(`${target.baseUrl}${path}`, {
      dispatcher,
      method: sent === undefined ? 'GET' : 'POST',
      headers: {
        ...(target.authorization === undefined ? {} : { authorization: target.authorization }),
        ...(sent === undefined ? {} : { 'content-type': sent.type }),
      },
      body: sent?.body ?? null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      ...(signal && { signal }),
    });
  const send = async (path: string, sent?: Sent): Promise<InfluxReply> => {
    try {
      return await readReply(await ask(path, sent, AbortSignal.timeout(timeoutMs)));
    } catch (error) {
      throw connectionError(error, target);
    }
  };
  return {
    get: (path) => send(path),
    async query(statement) {
      const reply = await send('/query', formOf({ db: target.place, epoch: 'u', q: statement }));
      return tablesOf(reply, target);
    },
    async *stream(statement) {
      const form = {
        db: target.place,
        epoch: 'u',
        chunked: 'true',
        chunk_size: String(CHUNK_ROWS),
        q: statement,
      };
      try {
        const reply = await ask('/query', formOf(form));
        if (reply.statusCode !== 200) throw replyError(await readReply(reply), target, 'reading points');
        for await (const line of linesOf(reply.body)) yield* partsOf(line, target);
      } catch (error) {
        throw error instanceof StoreError ? error : connectionError(error, target);
      }
    },
    async post(path, body, what) {
      const reply = await send(path, { type: 'application/json', body: JSON.stringify(body) });
      if (reply.status >= 300) throw replyError(reply, target, what);
    },
    close: () => dispatcher.destroy(),
  };
}

function formOf(fields: Record<string, string>): Sent {
  return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(fields).toString() };
}

async function readReply({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<InfluxReply> {
  const text = await body.text();
  return { status: statusCode, headers, text, json: parseJson(text) };
}

function connectionError(error: unknown, target: InfluxTarget): StoreError {
  const reason = messageOf(error) || (error as { code?: string }).code;
  const certificate = remedyOfCertificate(error, 'influx.caFile');
  const remedy = certificate ?? 'Check that the server runs and that influx.url is right.';
  const message = `${target.label} cannot be reached: ${reason}. ${remedy}`;
  const code = certificate === undefined ? 'influx.unreachable' : 'influx.tls_failed';
  return new StoreError(code, message, { action: 'retry', cause: error });
}

/**
 * Yields the lines of a body as they arrive. A server that ignores `chunked` sends everything as one line,
 * whose length is limited.
 */
async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARACTERS) throw new Error('the answer does not come in parts');
    yield* lines.filter((line) => line.trim() !== '');
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield rest;
}

function partsOf(line: string, target: InfluxTarget): InfluxPart[] {
  const json = parseJson(line);
  const { results } = (json ?? {}) as QueryReply;
  if (results === undefined || errorOf(json) !== undefined)
    throw replyError({ status: 200, headers: {}, text: line, json }, target, 'reading points');
  return results.flatMap(({ series = [] }) =>
    series.map(({ columns, values, tags }) => ({ columns, rows: values ?? [], tags: tags ?? {} })),
  );
}

/** Creates the error for a reply that cannot be used. */
export function replyError(reply: InfluxReply, target: InfluxTarget, what: string): StoreError {
  const words = target.redact(errorOf(reply.json) ?? reply.text.trim()).slice(0, 200);
  const login = reply.status === 401 || reply.status === 403;
  const remedy = login ? ` ${remedyOfLogin(target)}` : '';
  const message = `${target.label}: ${what} failed: ${words} (HTTP ${reply.status}).${remedy}`;
  const busy = reply.status >= 500 || reply.status === 429;
  const code = login ? 'influx.unauthorized' : busy ? 'influx.overloaded' : 'influx.refused_query';
  return new StoreError(code, message, { action: busy ? 'retry' : 'stop', cause: reply.status });
}

/** Quotes an InfluxQL string. */
export function quoteText(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;
}

/** Quotes an InfluxQL name. */
export function quoteIdentifier(name: string): string {
  return `"${name.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

interface QueryReply {
  readonly error?: string;
  readonly results?: readonly {
    readonly error?: string;
    readonly series?: readonly {
      readonly columns: string[];
      readonly values?: unknown[][];
      readonly tags?: Record<string, string>;
    }[];
  }[];
}

function tablesOf(reply: InfluxReply, target: InfluxTarget): InfluxTable[] {
  const { results } = (reply.json ?? {}) as QueryReply;
  if (reply.status !== 200 || results === undefined || errorOf(reply.json) !== undefined)
    throw replyError(reply, target, 'a query');
  return results.flatMap(({ series = [] }) =>
    series.map(({ columns, values }) => ({ columns, rows: values ?? [] })),
  );
}

/**
 * Returns the error of a reply: InfluxQL reports errors of a statement in a reply with status 200. Returns
 * undefined without an error.
 */
function errorOf(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { error, message, results } = json as QueryReply & { message?: string };
  return message ?? error ?? results?.find((result) => result.error !== undefined)?.error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
