import { describe, expect, it } from 'vitest';
import { callError } from '../../src/platform/call-error.ts';
import { defaultDialect } from '../../src/platform/dialect.ts';
import {
  AttemptTimeout,
  BodyTooLarge,
  classifyError,
  type Failure,
  MalformedReply,
} from '../../src/platform/failure.ts';
import type { OperationId } from '../../src/platform/operations.ts';
import { classifyRefusal, type Said } from '../../src/platform/refusal.ts';
import { readReply } from '../../src/platform/reply.ts';
import { buildRequest, type RawInput } from '../../src/platform/request.ts';

const options = {
  baseUrl: 'https://plant.test',
  appId: 'app',
  secret: 'secret',
  timezone: undefined,
  dialect: defaultDialect,
};
const request = (id: OperationId, input: RawInput = {}) => buildRequest(options, id, input);
const users = request('listUsers');
const authorize = request('authorizeCode', { query: { state: 's' } });

function thrownBy(code: string): Error {
  return Object.assign(new Error('it failed'), { code });
}

describe('the code of a platform error', () => {
  it.each<[string, Failure['code'], Said, ReturnType<typeof request>?]>([
    ['HTTP 401', 'platform.unauthorized', { status: 401 }],
    ['a message about the token', 'platform.unauthorized', { status: 400, message: 'token expired' }],
    ['HTTP 403', 'platform.forbidden_operation', { status: 403 }],
    ['HTTP 429', 'platform.too_many_requests', { status: 429 }],
    ['HTTP 503', 'platform.overloaded', { status: 503 }],
    ['HTTP 500', 'platform.internal_error', { status: 500 }],
    ['code 800002', 'platform.internal_error', { status: 400, code: '800002' }],
    ['HTTP 413', 'platform.request_too_large', { status: 413 }],
    ['code 800003', 'platform.wrong_parameter', { status: 400, code: '800003' }],
    ['"not found"', 'platform.not_found', { status: 400, code: '800001', message: 'user x not found' }],
    ['code 800001', 'platform.operation_failed', { status: 400, code: '800001', message: 'failed' }],
    ['code 800001 with HTTP 200', 'platform.operation_failed', { status: 200, code: '800001' }],
    ['a complaint with HTTP 200', 'platform.odd_success', { status: 200, message: 'try later' }],
    ['a redirection', 'platform.wrong_address', { status: 302, location: 'https://login.test/' }],
    [
      'a token refused',
      'platform.wrong_secret',
      { status: 400, code: '800001' },
      request('getClientAccessToken'),
    ],
    ['no token operation', 'platform.wrong_address', { status: 404 }, request('getClientAccessToken')],
    ['no authorization', 'platform.not_authorized', { status: 302, location: '/login' }, authorize],
  ])('tells %s', (_, code, said, asked = users) => {
    const failure = classifyRefusal(asked, said);
    expect(failure.code).toBe(code);
    const error = callError(asked, failure, 1);
    expect(error).toMatchObject({ code, platformCode: said.code });
  });

  it.each<[Failure['code'], unknown]>([
    ['platform.unreachable', thrownBy('ECONNREFUSED')],
    ['platform.unreachable', thrownBy('UND_ERR_CONNECT_TIMEOUT')],
    ['platform.tls_failed', thrownBy('CERT_HAS_EXPIRED')],
    ['platform.plain_http', thrownBy('ERR_SSL_WRONG_VERSION_NUMBER')],
    ['platform.proxy_failed', new Error('Proxy response (407) !== 200 when HTTP Tunneling')],
    ['platform.connection_broken', thrownBy('ECONNRESET')],
    ['platform.timeout', new AttemptTimeout('no complete reply within 30 s')],
    ['platform.malformed_reply', new MalformedReply('the reply has no member list')],
    ['platform.malformed_reply', thrownBy('Z_DATA_ERROR')],
    ['platform.reply_too_large', new BodyTooLarge()],
  ])('is %s', (code, error) => {
    expect(classifyError(error).code).toBe(code);
  });

  it.each([
    ['platform.web_page', '<html>login</html>'],
    ['platform.malformed_reply', '{"list": ['],
  ])('is %s for a success that cannot be read', (code, text) => {
    const reply = {
      ...{ status: 200, bytes: text.length, contentType: '', retryAfter: undefined, isCut: false },
      ...{ date: undefined, location: undefined, content: Buffer.from(text) },
    };
    const read = () => readReply(users, reply, { nowMs: 0 });
    expect(read).toThrow(MalformedReply);
    expect(read).toThrow(expect.objectContaining({ code }));
  });
});
