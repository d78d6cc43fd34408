import { describe, expect, it } from 'vitest';
import { defaultDialect } from '../../src/platform/dialect.ts';
import { MalformedReply } from '../../src/platform/failure.ts';
import type { OperationId } from '../../src/platform/operations.ts';
import { readReply } from '../../src/platform/reply.ts';
import { buildRequest, type RawInput } from '../../src/platform/request.ts';
import type { RawReply } from '../../src/platform/transport/exchange.ts';

const nowMs = Date.parse('2024-05-01T10:00:00Z');
const options = {
  baseUrl: 'https://plant.test',
  appId: 'app',
  secret: 'se+cret',
  timezone: undefined,
  dialect: defaultDialect,
};

function read(
  reply: Partial<RawReply> & { body?: unknown; text?: string },
  id: OperationId = 'listUsers',
  input: RawInput = {},
) {
  const text = reply.text ?? (reply.body === undefined ? '' : JSON.stringify(reply.body));
  const { body: _, text: __, ...rest } = reply;
  const raw = { status: 200, bytes: text.length, contentType: 'application/json', retryAfter: undefined };
  return readReply(
    buildRequest(options, id, input),
    { ...raw, isCut: false, date: undefined, location: undefined, ...rest, content: Buffer.from(text) },
    { nowMs },
  );
}

function failureOf(...args: Parameters<typeof read>) {
  const reply = read(...args);
  if (!('failure' in reply)) throw new Error('the reply was taken for a success');
  return reply.failure;
}

const object = { path: { objName: 'ghost' } };

describe('readReply', () => {
  it.each([
    [400, { code: '800002', message: 'x' }, { kind: 'unavailable', retries: Number.POSITIVE_INFINITY }],
    [400, { code: 800001, message: 'operation failed' }, { kind: 'failed', action: 'skip', retries: 2 }],
    [
      400,
      { code: '800001', message: 'object ghost not found' },
      { kind: 'missing', action: 'skip', retries: 0 },
    ],
    [400, { code: '800001', message: '对象不存在' }, { kind: 'missing', action: 'skip' }],
    [400, { code: '800003', message: 'parameter error' }, { kind: 'parameter', action: 'skip', retries: 0 }],
    [500, { code: '800003', message: 'parameter error' }, { kind: 'parameter' }],
    [400, { message: 'access token expired' }, { kind: 'auth', refusedToken: true }],
    [400, { code: '401', message: 'no' }, { kind: 'auth', refusedToken: true }],
    [400, { code: '404', message: 'no' }, { kind: 'failed' }],
    [401, { message: 'no' }, { kind: 'auth', action: 'stop', refusedToken: true }],
    [403, undefined, { kind: 'auth', action: 'stop', refusedToken: true }],
    [404, undefined, { kind: 'failed', action: 'stop', retries: 0 }],
    [405, undefined, { kind: 'failed', action: 'stop', retries: 0 }],
    [413, undefined, { kind: 'too_large', retries: 0 }],
    [408, undefined, { kind: 'unavailable', load: 'overload' }],
    [425, undefined, { kind: 'unavailable' }],
    [429, { message: 'slow down' }, { kind: 'unavailable', load: 'overload', notDone: true }],
    [500, undefined, { kind: 'unavailable', load: 'failing', notDone: false }],
    [502, undefined, { kind: 'unavailable' }],
    [503, undefined, { kind: 'unavailable', load: 'overload', notDone: false }],
    [504, undefined, { kind: 'unavailable', load: 'overload' }],
  ] as const)('takes HTTP %s with %j as it is meant', (status, body, expected) => {
    expect(failureOf({ status, body })).toMatchObject({ status, ...expected });
  });

  it('takes 404 of a path with a name in it as a missing thing', () => {
    expect(failureOf({ status: 404 }, 'getObject', object)).toMatchObject({
      kind: 'missing',
      action: 'skip',
    });
  });

  it('reads Retry-After', () => {
    expect(failureOf({ status: 503, retryAfter: '7' })).toMatchObject({ retryAfterMs: 7000, notDone: true });
  });

  it('takes any refusal of a token operation as one of authorization', () => {
    const body = { code: '800001', message: 'wrong secret' };
    const failure = failureOf({ status: 400, body }, 'getClientAccessToken');
    expect(failure).toMatchObject({ kind: 'auth', action: 'stop', retries: 0 });
    expect(failure.reason).toMatch(/wrong secret; check platform.appId and platform.secret/);
  });

  it('takes a path without token operation for a wrong base URL', () => {
    const { reason } = failureOf({ status: 404, body: { message: 'no such path' } }, 'getClientAccessToken');
    expect(reason).toMatch(/check the path prefix in platform\.baseUrl$/);
    expect(reason).not.toMatch(/secret/);
  });

  it('blots out secrets that the platform repeats, as they are and percent-encoded', () => {
    const message = 'bad secret se+cret in ?secret=se%2Bcret';
    const { reason } = failureOf({ status: 400, body: { message } }, 'getClientAccessToken');
    expect(reason).toContain('bad secret *** in ?secret=***');
  });

  it('names only the host that a redirect leads to', () => {
    const failure = failureOf({ status: 302, location: 'https://login.test/?code=secret' });
    expect(failure).toMatchObject({ kind: 'failed', action: 'stop' });
    expect(failure.reason).toContain('redirected to https://login.test');
    expect(failure.reason).not.toContain('code=');
  });

  it.each([
    ['listUsers', { code: '800001', message: 'operation failed' }],
    ['listUsers', { code: '800001', message: 'operation failed', list: [] }],
    ['listUsers', { message: 'not ready', list: [] }],
    ['listUsers', { error: { message: 'not ready' }, list: [] }],
    ['listUsers', { success: false, list: [] }],
    ['listCurrentAlarms', { message: 'not ready', list: [] }],
    ['getUser', { message: 'not ready' }],
    ['readHistory', { code: 500, message: 'x', results: null }],
    ['readHistory', { message: 'not ready', results: [] }],
    ['readCurrent', { code: '800001', message: 'object ghost not found' }],
    ['readCurrent', { message: 'object ghost not found' }],
    ['getUser', { code: '800001', message: 'x' }],
    ['updateDatatableEntry', { code: '800001', message: 'x' }],
  ] as const)('takes a 200 of %s with %j for the error that it is', (id, body) => {
    const path = { username: 'u', objName: 'o' };
    expect(failureOf({ body }, id, { path })).toMatchObject({ status: 200 });
  });

  it('finds the missing object in a 200 of current values', () => {
    const body = { code: '800001', message: 'object ghost not found' };
    expect(failureOf({ body }, 'readCurrent').kind).toBe('missing');
  });

  it.each([
    ['listUsers', { code: '800000', message: 'ok', list: [] }],
    ['listUsers', { code: 200, list: [] }],
    ['listUsers', { message: 'Success', list: [] }],
    ['listUsers', { message: 'two entries are hidden', list: [1] }],
    ['getObject', { name: 'pump1', code: 'P-0815' }],
    ['readCurrent', { 'a.message': 1, message: 'x' }],
    ['readCurrent', { code: 0, message: 'ok', data: {} }],
    ['readCurrent', {}],
  ] as const)('takes a 200 of %s with %j for a success', (id, body) => {
    expect(read({ body }, id, object)).toEqual({ body });
  });

  it('expects no body of writes and of authorize', () => {
    expect(read({ status: 204 }, 'deleteDatatableEntry', object)).toEqual({ body: undefined });
    expect(read({ status: 201, text: 'created' }, 'startWorkflow', { path: { diagramCode: 'd' } })).toEqual({
      body: undefined,
    });
    expect(read({}, 'authorizeCode')).toEqual({ body: undefined });
  });

  it.each([
    ['', /empty/],
    ['<html>AT-canary</html>', /web page/],
    ['{"accessToken":"AT-canary', /broken JSON/],
  ])('refuses a successful %j without quoting it', (text, expected) => {
    expect(() => read({ text })).toThrow(MalformedReply);
    expect(() => read({ text })).toThrow(expected);
    expect(() => read({ text })).not.toThrow(/canary/);
  });
});
