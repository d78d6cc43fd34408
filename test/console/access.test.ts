import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSession, SESSION_COOKIE } from '../../src/console/access/session.ts';
import { apiRoutes } from '../../src/console/api/routes.ts';
import { API_ROOT } from '../../src/console/api/serve-api.ts';
import { type ConsoleServer, startConsoleServer } from '../../src/console/console-server.ts';
import { createPrometheus } from '../../src/console/prometheus.ts';
import type { Readiness } from '../../src/console/readiness.ts';
import { silentLog } from '../../src/log.ts';

const token = 'a-token-of-the-console';
const readiness: Readiness = {
  ready: false,
  reason: 'postgres is away',
  dependencies: {
    postgres: { state: 'down', holdsUp: true, since: '', reason: 'connect to db.plant.example' },
  },
};

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Starts a console whose service is still starting. An answer 503 shows that a request was let in. */
async function startConsole(settings: object = {}): Promise<ConsoleServer> {
  const pageFolder = mkdtempSync(join(tmpdir(), 'plantsync-page-'));
  writeFileSync(join(pageFolder, 'index.html'), '<title>page</title>');
  writeFileSync(join(pageFolder, 'coverage.html'), '<title>coverage</title>');
  closers.push(() => rmSync(pageFolder, { recursive: true }));
  const server = await startConsoleServer({
    settings: {
      port: 0,
      host: '127.0.0.1',
      hosts: [],
      readOnly: false,
      metrics: 'open',
      token: undefined,
      ...settings,
    },
    version: '1.2.3',
    readiness: () => readiness,
    context: () => undefined,
    prometheus: createPrometheus({ version: '1.2.3' }),
    pageFolder,
    log: silentLog,
    redact: (text) => text,
    clock: Date.now,
  });
  closers.push(() => server.close());
  return server;
}

interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Asks with any headers: `fetch` sets Host and Origin by itself. */
function ask(
  server: ConsoleServer,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: object } = {},
): Promise<Reply> {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const typed = content === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}${path}`,
      { method, headers: { ...typed, ...headers } as NodeJS.Dict<string> },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
      },
    );
    sent.on('error', reject);
    sent.end(content);
  });
}

const everyRoute = apiRoutes.map((route) => ({
  name: `${route.method} ${route.path}`,
  route,
  path: `${API_ROOT}${route.path.replaceAll(/\{\w+\}/g, '1')}`,
  method: route.method.toUpperCase(),
}));
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const codeOf = (reply: Reply) => (JSON.parse(reply.text) as { error?: { code?: string } }).error?.code;
/** The service does not run, or the request lacks its parameters: in any case it was let in. */
const LET_IN = ['console.not_running', 'usage.wrong_request'];

describe.each(everyRoute)('$name', ({ path, method, route }) => {
  it('answers nothing without the token, with a wrong one, or with a session of another token', async () => {
    const server = await startConsole({ token });
    const forged = `${SESSION_COOKIE}=${makeSession('another-token-here', Date.now())}`;
    for (const headers of [{}, bearer('wrong'), bearer(`${token}x`), { cookie: forged }])
      expect(codeOf(await ask(server, path, { method, headers }))).toBe('console.not_signed_in');
  });

  it('answers with the token, and with the session that it gives', async () => {
    const server = await startConsole({ token });
    const session = { cookie: `${SESSION_COOKIE}=${makeSession(token, Date.now())}` };
    for (const headers of [bearer(token), session])
      expect(LET_IN).toContain(codeOf(await ask(server, path, { method, headers })));
  });

  it('needs a token where other machines can ask', async () => {
    const server = await startConsole({ host: '0.0.0.0' });
    expect(codeOf(await ask(server, path, { method }))).toBe('console.needs_token');
  });

  it('answers nothing under a foreign host name', async () => {
    const server = await startConsole();
    const headers = { host: 'rebound.example' };
    expect(codeOf(await ask(server, path, { method, headers }))).toBe('console.wrong_host');
    const named = await startConsole({ hosts: ['rebound.example'] });
    expect(LET_IN).toContain(codeOf(await ask(named, path, { method, headers })));
  });

  if (route.method !== 'get') {
    it('takes nothing from a page of another origin', async () => {
      const server = await startConsole();
      for (const origin of ['https://elsewhere.example', 'null', `${server.url}.elsewhere.example`])
        expect(codeOf(await ask(server, path, { method, headers: { origin } }))).toBe('console.wrong_origin');
      for (const site of ['cross-site', 'same-site']) {
        const headers = { 'sec-fetch-site': site };
        expect(codeOf(await ask(server, path, { method, headers }))).toBe('console.wrong_origin');
      }
      for (const site of ['same-origin', 'none']) {
        const headers = { 'sec-fetch-site': site };
        expect(LET_IN).toContain(codeOf(await ask(server, path, { method, headers })));
      }
      const own = await ask(server, path, { method, headers: { origin: server.url } });
      expect(LET_IN).toContain(codeOf(own));
    });
  }

  it(`${route.writes ? 'is refused' : 'answers'} where the console is read only`, async () => {
    const server = await startConsole({ readOnly: true });
    const code = codeOf(await ask(server, path, { method }));
    if (route.writes) expect(code).toBe('console.read_only');
    else expect(LET_IN).toContain(code);
  });
});

describe('the console', () => {
  it('signs in with the token: the cookie is for this site and not for scripts', async () => {
    const server = await startConsole({ token });
    const wrong = await ask(server, `${API_ROOT}/session`, { method: 'POST', body: { token: 'wrong' } });
    expect([wrong.status, codeOf(wrong), wrong.headers['set-cookie']]).toEqual([
      401,
      'console.wrong_token',
      undefined,
    ]);
    const right = await ask(server, `${API_ROOT}/session`, { method: 'POST', body: { token } });
    expect(right.status).toBe(200);
    const [cookie = ''] = right.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    expect(cookie).not.toContain(token);
    const [pair] = cookie.split(';');
    expect((await ask(server, `${API_ROOT}/service`, { headers: { cookie: pair } })).status).toBe(503);
  });

  it('takes no more guesses from an address that sent ten wrong ones, not even the right one', async () => {
    const server = await startConsole({ token });
    const guess = (given: string) =>
      ask(server, `${API_ROOT}/session`, { method: 'POST', body: { token: given } });
    for (let k = 0; k < 10; k += 1) expect((await guess(`guess ${k}`)).status).toBe(401);
    const late = await guess(token);
    expect([late.status, late.headers['retry-after']]).toEqual([429, '60']);
    expect((await ask(server, `${API_ROOT}/service`, { headers: bearer(token) })).status).toBe(429);
  });

  it('refuses a session whose time is over', async () => {
    const server = await startConsole({ token });
    const cookie = `${SESSION_COOKIE}=${makeSession(token, Date.now() - 8 * 86_400_000)}`;
    expect((await ask(server, `${API_ROOT}/service`, { headers: { cookie } })).status).toBe(401);
  });

  it('shows the document of a path or its page under every path, with a policy that lets nothing foreign and nothing inline run', async () => {
    const server = await startConsole({ token });
    const titles = { '/': 'page', '/coverage?order=missing': 'coverage', '/explorer?series=1': 'page' };
    for (const [path, title] of Object.entries(titles)) {
      const reply = await ask(server, path);
      expect([reply.status, reply.text]).toEqual([200, `<title>${title}</title>`]);
      const policy = String(reply.headers['content-security-policy']);
      expect(policy).toMatch(/default-src 'none'/);
      expect(policy).not.toMatch(/unsafe|\*|http/);
    }
    expect((await ask(server, '/assets/../../package.json')).status).toBe(404);
  });

  it('never takes its page for the answer of an operation that does not exist', async () => {
    const server = await startConsole();
    for (const path of ['/api/v1/no-such', '/api/v2/runs', '/API/v1/runs', '//api/v1/runs', '/api']) {
      const reply = await ask(server, path);
      expect([path, reply.status, codeOf(reply)]).toEqual([path, 404, 'console.not_found']);
    }
  });

  it('tells the readiness to everybody, and its reasons only here or with the token', async () => {
    const server = await startConsole({ token });
    const from = (headers: object) => ask(server, '/readyz', { headers }).then(({ text }) => text);
    expect(await from({})).toContain('db.plant.example');
    expect(await from({ 'x-forwarded-for': '203.0.113.7' })).toBe(
      '{"ready":false,"dependencies":{"postgres":{"state":"down"}}}',
    );
    expect(await from({ host: 'rebound.example' })).not.toContain('db.plant.example');
    expect(await from({ 'x-forwarded-for': '203.0.113.7', ...bearer(token) })).toContain('db.plant.example');
  });

  it('closes its metrics where it is told to', async () => {
    expect((await ask(await startConsole({ token }), '/metrics')).status).toBe(200);
    const closed = await startConsole({ token, metrics: 'token' });
    expect((await ask(closed, '/metrics')).status).toBe(401);
    expect((await ask(closed, '/metrics', { headers: bearer(token) })).status).toBe(200);
  });

  it('tells of changes only to those who are signed in', async () => {
    const server = await startConsole({ token });
    expect((await ask(server, `${API_ROOT}/events`)).status).toBe(401);
    expect((await ask(server, `${API_ROOT}/openapi.json`)).status).toBe(401);
  });

  it('describes each operation in its OpenAPI document', async () => {
    const server = await startConsole();
    const { text } = await ask(server, `${API_ROOT}/openapi.json`);
    const document = JSON.parse(text) as { paths: Record<string, Record<string, { operationId: string }>> };
    for (const { method, path, id } of apiRoutes)
      expect(document.paths[`${API_ROOT}${path}`]?.[method]?.operationId).toBe(id);
    expect(new Set(apiRoutes.map(({ id }) => id)).size).toBe(apiRoutes.length);
  });
});
