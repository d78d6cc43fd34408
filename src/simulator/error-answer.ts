import { RefusedCall } from './refused-call.ts';
import type { SimulatorDialect } from './simulator-dialect.ts';

/** A reply as it goes out. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | Buffer;
}

/** Returns an HTML page, as gateways send it instead of JSON. */
export function htmlAnswer(status: number, message: string): RawAnswer {
  const text = `<html><head><title>${status}</title></head><body><h1>${message}</h1></body></html>`;
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, text };
}

/** Returns a reply with a JSON body. */
export function jsonAnswer(status: number, body: unknown): RawAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    text: JSON.stringify(body),
  };
}

/** Returns the error reply to a refused request (GeneralError), in the form of the dialect. */
export function errorAnswer({ status, code, message }: RefusedCall, dialect: SimulatorDialect): RawAnswer {
  if (dialect.errorBody === 'html') return htmlAnswer(status, message);
  if (code === undefined || dialect.errorCode === 'absent') return jsonAnswer(status, { message });
  return jsonAnswer(status, {
    code: dialect.errorCode === 'integer' ? Number(code) : code,
    message,
    ...(dialect.extraErrorMembers ? { data: null, detail: 'see the log of the platform' } : {}),
  });
}

/** Returns the reply to a request that lacks a valid access token. */
export function unauthorizedAnswer(dialect: SimulatorDialect): RawAnswer {
  const message = 'access token is invalid or expired';
  if (dialect.unauthorized === 'html') return htmlAnswer(401, message);
  if (dialect.unauthorized === 'platform')
    return errorAnswer(new RefusedCall(400, '800001', message), dialect);
  return jsonAnswer(401, { message });
}
