import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerByDefault, StubTokens } from './answers.ts';
import type { StubAnswer, StubPlatform, StubRequest, StubScript } from './types.ts';

export type { StubAnswer, StubPlatform, StubRequest, StubScript } from './types.ts';

/** Starts a platform that answers as the specification describes, on a free port of 127.0.0.1. */
export async function startStubPlatform(script: StubScript = {}): Promise<StubPlatform> {
  const journal: StubRequest[] = [];
  const tokens = new StubTokens();
  const open = { now: 0, most: 0 };
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.once('close', () => {
      open.now -= 1;
    });
    const request = await readRequest(message, script.prefix ?? '');
    journal.push(request);
    const answer = (await script.answer?.(request, stub)) ?? stub.defaultAnswer(request);
    const delayMs = answer.delayMs ?? (request.path.startsWith('/openapi/') ? script.delayMs : undefined);
    if (delayMs !== undefined) await sleep(delayMs, undefined, { signal: closing.signal });
    give(answer, request, response);
  }

  const listener = (message: IncomingMessage, response: ServerResponse) => {
    handle(message, response).catch((error: unknown) => {
      // An answer that throws must fail the test and not hang it.
      if (!closing.signal.aborted) response.writeHead(599).end(String(error));
    });
  };
  const server = script.tls ? createTlsServer(script.tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stub: StubPlatform = {
    baseUrl: `${script.tls ? 'https' : 'http'}://127.0.0.1:${port}${script.prefix ?? ''}`,
    script,
    journal,
    requestsTo: (path) =>
      journal.filter((request) => request.path === path || request.path.startsWith(`${path}/`)),
    tokenRequests: () => journal.filter((request) => /^\/oauth2\/.*Token$/.test(request.path)),
    defaultAnswer: (request) => answerByDefault(request, script, tokens),
    revokeTokens: () => tokens.revokeAll(),
    mostOpen: () => open.most,
    close: async () => {
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return stub;
}

async function readRequest(message: IncomingMessage, prefix: string): Promise<StubRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const [rawPath = '', rawQuery = ''] = (message.url ?? '').split(/\?(.*)/s);
  const query = new URLSearchParams(rawQuery);
  const [, bearer] = /^Bearer (.*)$/.exec(message.headers.authorization ?? '') ?? [];
  return {
    atMs: Date.now(),
    method: message.method ?? '',
    rawPath,
    path: rawPath.startsWith(`${prefix}/`) ? rawPath.slice(prefix.length) : rawPath,
    query,
    rawQuery,
    headers: message.headers,
    text,
    body: text === '' ? undefined : JSON.parse(text),
    token: bearer ?? query.get('access_token') ?? undefined,
    status: undefined,
  };
}

function give(answer: StubAnswer, request: StubRequest, response: ServerResponse): void {
  if (answer.fault === 'silent') return;
  if (answer.fault === 'reset') {
    request.status = 0;
    response.socket?.resetAndDestroy();
    return;
  }
  const json = answer.body === undefined ? '' : JSON.stringify(answer.body);
  const bytes = answer.bytes ?? Buffer.from(answer.text ?? json);
  request.status = answer.status ?? 200;
  const isUnsized = request.status === 204 || answer.headers?.['transfer-encoding'] !== undefined;
  response.writeHead(request.status, {
    'content-type': answer.text === undefined ? 'application/json' : 'text/plain',
    ...(isUnsized ? {} : { 'content-length': String(bytes.length) }),
    ...answer.headers,
  });
  if (answer.fault !== 'truncated') {
    response.end(bytes);
    return;
  }
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}
