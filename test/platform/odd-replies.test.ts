import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/errors.ts';
import { openStubClient } from '../support/stub/client.ts';
import type { StubAnswer } from '../support/stub/platform.ts';

const users = '/openapi/users/v1';
const current = '/openapi/objects/v1/properties/current';
const none = { retries: 0 };

async function open(path: string, answer: StubAnswer, options = {}) {
  return openStubClient({ answer: (request) => (request.path === path ? answer : undefined) }, options);
}

async function failureOf(promise: Promise<unknown>): Promise<PlatformError> {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (!(error instanceof PlatformError)) throw new Error('the reply was taken for a success');
  return error;
}

/** Each of these replies would take minutes if the time of reading grew with the square of its length. */
describe('a reply of which any part could be read again and again', () => {
  it.each([
    ['a text that does not end, full of escaped quotations', `{"list":[{"a":"${'\\"'.repeat(500_000)}`],
    ['a bare NaN before such a text', `{"list":[NaN,"${'\\"'.repeat(500_000)}`],
    ['digits without end', `{"list":[${'7'.repeat(2_000_000)}`],
    ['brackets without end', `{"list":${'['.repeat(500_000)}`],
    ['a message of blanks', JSON.stringify({ list: [], message: `${' '.repeat(500_000)}x` })],
    ['a message of dots', JSON.stringify({ list: [], message: `${'.'.repeat(500_000)}x` })],
  ])('is refused: %s', async (_, text) => {
    const { platform } = await open(users, { text });
    expect(await failureOf(platform.call('listUsers', {}, none))).toMatchObject({ action: 'skip' });
  });

  it('is read: names in many brackets, of which none was asked for', async () => {
    const name = `${'('.repeat(200_000)}a.b${')'.repeat(200_000)}`;
    const others = Array.from({ length: 5_000 }, (_, k) => [`x${k}.b`, k]);
    const text = JSON.stringify({ ...Object.fromEntries(others), [name]: 1, 'a.b': 7 });
    const { platform } = await open(current, { text });
    const asked = Array.from({ length: 200 }, (_, k) => `o${k}.b`);
    const { values } = await platform.readCurrent(['a.b', ...asked], none);
    expect([...values.values()]).toMatchObject([{ name: 'a.b', value: 7 }]);
  });

  it('is refused: very many names of which none was asked for', async () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, k) => [`x${k}.b`, k])));
    const { platform } = await open(current, { text });
    expect(await failureOf(platform.readCurrent(['a.b'], none))).toMatchObject({ kind: 'malformed' });
  });

  it('is read: integers of very many digits, which stay texts', async () => {
    const digits = '7'.repeat(2_000_000);
    const { platform } = await open(users, { text: `{"list":[{"id":${digits}}],"pagination":{"total":1}}` });
    expect((await platform.listPage('listUsers', {})).items).toEqual([{ id: digits }]);
  });
});

describe('a large reply that reports a failure', () => {
  it.each([
    ['as text', 'x'.repeat(56_000_000), /HTTP 400$/],
    [
      'in its message',
      JSON.stringify({ code: '800001', message: 'no '.repeat(18_000_000) }),
      /code 800001: (no )+/,
    ],
    [
      'behind its message',
      JSON.stringify({ message: 'no such thing', data: 'x'.repeat(56_000_000) }),
      /no such thing$/,
    ],
    ['in escapes', `{"message":"${'\\u4e0d'.repeat(9_000_000)}"}`, /HTTP 400: 不+…$/],
    ['before its message', `{"data":[${'1,'.repeat(28_000_000)}1],"message":"x"}`, /HTTP 400$/],
  ])('is cut: %s', async (_, text, expected) => {
    const { platform } = await open(users, { status: 400, text });
    const { message } = await failureOf(platform.call('listUsers', {}, none));
    expect(message).toMatch(expected);
    expect(message.length).toBeLessThan(400);
  });

  it('shows no beginning of a secret at the place of the cut', async () => {
    const secret = 'S3cret-'.repeat(40);
    // Redacting shortens the text before the cut.
    const text = JSON.stringify({ message: secret.repeat(100) });
    const { platform } = await open(users, { status: 400, text }, { secret });
    expect((await failureOf(platform.call('listUsers', {}, none))).message).not.toContain('S3cret');
  });
});

describe('a reply that a gateway has compressed', () => {
  const list = Array.from({ length: 50_000 }, (_, k) => ({ username: `u${k}`, text: '温度' }));
  const plain = Buffer.from(JSON.stringify({ list, pagination: { total: list.length } }));
  const encoded = (coding: string, bytes: Uint8Array, status = 200): StubAnswer => ({
    status,
    bytes,
    headers: { 'content-encoding': coding },
  });

  it.each([
    ['gzip', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    ['br', brotliCompressSync(plain, { params: {} })],
    ['deflate', deflateSync(plain)],
    ['DEFLATE', deflateRawSync(plain)],
    ['deflate, gzip', gzipSync(deflateSync(plain))],
    ['identity', plain],
  ])('is unpacked: %s', async (coding, bytes) => {
    const { platform, stub } = await open(users, encoded(coding, bytes));
    const page = await platform.listPage('listUsers', {}, none);
    expect(page).toEqual({ items: list, total: list.length, bytes: plain.length });
    expect(stub.requestsTo(users)[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('is asked for if the options say so', async () => {
    const { platform, stub } = await open(users, encoded('gzip', gzipSync(plain)), { gzip: true });
    expect(await platform.listPage('listUsers', {}, none)).toMatchObject({ total: list.length });
    expect(stub.requestsTo(users)[0]?.headers['accept-encoding']).toBe('gzip');
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(100_000_000, ' '))],
    ['br', brotliCompressSync(Buffer.alloc(20_000_000, ' '))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(100_000_000, ' ')))],
  ])('is refused while it unpacks to more than maxBody: %s', async (coding, bytes) => {
    const { platform } = await open(users, encoded(coding, bytes), { maxBodyBytes: 1_000_000 });
    expect(await failureOf(platform.call('listUsers', {}, none))).toMatchObject({
      kind: 'too_large',
      message: expect.stringContaining('platform.maxBody'),
    });
  });

  it('is cut where it reports a failure', async () => {
    const bytes = gzipSync(JSON.stringify({ code: '800003', message: 'no '.repeat(10_000_000) }));
    const { platform } = await open(users, encoded('gzip', bytes, 400));
    expect(await failureOf(platform.call('listUsers', {}, none))).toMatchObject({
      platformCode: '800003',
      message: expect.stringMatching(/: (no )+no…$/),
    });
  });

  it.each([
    ['a broken end', 'gzip', gzipSync(plain).subarray(0, 5_000), /cannot be unpacked/],
    ['another content', 'gzip', plain, /cannot be unpacked/],
    ['another content', 'br', plain, /cannot be unpacked/],
    ['an unknown coding', 'zstd', plain, /does not know/],
    ['too many codings', 'gzip, gzip, gzip', plain, /compressed 3 times/],
  ])('is refused for %s (%s)', async (_, coding, bytes, reason) => {
    const { platform } = await open(users, encoded(coding, bytes));
    expect(await failureOf(platform.call('listUsers', {}, none))).toMatchObject({
      kind: 'malformed',
      message: expect.stringMatching(reason),
    });
  });

  it('may have no body', async () => {
    const path = '/openapi/datatable/v1/t/deleteDataTableEntry';
    const { platform } = await open(path, {
      status: 204,
      bytes: Buffer.alloc(0),
      headers: { 'content-encoding': 'gzip' },
    });
    const deleted = platform.call('deleteDatatableEntry', { path: { objName: 't' }, body: { id: 1 } });
    expect(await deleted).toBeUndefined();
  });
});
