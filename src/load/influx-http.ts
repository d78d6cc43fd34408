import { Agent, request } from 'undici';
import { messageOf, StoreError } from '../errors.ts';
import type { InfluxTarget } from './influx-options.ts';
import { remedyOfLogin } from './influx-replies.ts';

export interface InfluxReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body if it is JSON, else undefined. */
  readonly json: unknown;
}

/** One table of an InfluxQL answer. */
export interface InfluxTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Everything but writing: asking what a server is and has, and reading points back. */
export interface InfluxHttp {
  get(path: string): Promise<InfluxReply>;
  /** Runs one InfluxQL statement (1.x); times come as epoch microseconds. Throws a `StoreError` with the server's message. */
  query(statement: string): Promise<InfluxTable[]>;
  close(): Promise<void>;
}

export function openInfluxHttp(target: InfluxTarget): InfluxHttp {
  const dispatcher = new Agent({ connect: { timeout: target.timeoutMs } });
  const send = async (path: string, form?: Record<string, string>): Promise<InfluxReply> => {
    try {
      const reply = await request(`${target.baseUrl}${path}`, {
        dispatcher,
        method: form === undefined ? 'GET' : 'POST',
        headers: {
          ...(target.authorization === undefined ? {} : { authorization: target.authorization }),
          ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        body: form === undefined ? null : new URLSearchParams(form).toString(),
        signal: AbortSignal.timeout(target.timeoutMs),
      });
      const text = await reply.body.text();
      return { status: reply.statusCode, headers: reply.headers, text, json: parseJson(text) };
    } catch (error) {
      const reason = messageOf(error) || (error as { code?: string }).code;
      const message = `${target.label} cannot be reached: ${reason}. Check that it runs and that influx.url is right.`;
      throw new StoreError(message, target.label, 'retry', { cause: error });
    }
  };
  return {
    get: (path) => send(path),
    async query(statement) {
      const reply = await send('/query', { db: target.place, epoch: 'u', q: statement });
      return tablesOf(reply, target);
    },
    close: () => dispatcher.destroy(),
  };
}

/** The error for a reply that cannot be used. */
export function replyError(reply: InfluxReply, target: InfluxTarget, what: string): StoreError {
  const words = errorOf(reply.json) ?? reply.text.trim().slice(0, 200);
  const login = reply.status === 401 || reply.status === 403;
  const remedy = login ? ` ${remedyOfLogin(target)}` : '';
  const message = `${target.label}: ${what} failed: ${words} (HTTP ${reply.status}).${remedy}`;
  const busy = reply.status >= 500 || reply.status === 429;
  return new StoreError(message, target.label, busy ? 'retry' : 'stop', { cause: reply.status });
}

/** A quoted InfluxQL string. */
export function quoteText(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;
}

/** A quoted InfluxQL name. */
export function quoteName(name: string): string {
  return `"${name.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

interface QueryReply {
  readonly error?: string;
  readonly results?: readonly {
    readonly error?: string;
    readonly series?: readonly { readonly columns: string[]; readonly values?: unknown[][] }[];
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

/** InfluxQL reports errors of a statement inside a reply 200. */
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
