import { decodeJwt } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import type { SimulatorOptions } from '../../src/simulator/simulator-options.ts';
import { newToken, openSession, type Session, tokenUrl } from './session.ts';

let session: Session;
afterEach(() => session.simulator.close());
const open = async (options: SimulatorOptions = {}) => {
  session = await openSession(options);
  return session.simulator;
};
const read = async (url: string) => {
  const response = await fetch(url, { redirect: 'manual' });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get('location'),
    body: text ? JSON.parse(text) : undefined,
  };
};

describe('client mode', () => {
  test('a token is a JWT whose exp follows from the lifetime', async () => {
    const simulator = await open({ tokenLifetimeSec: 60, nowMs: () => 1_700_000_000_000 });
    const { body } = await read(tokenUrl(simulator));
    expect(decodeJwt(body.accessToken)).toMatchObject({ iat: 1_700_000_000, exp: 1_700_000_060 });
    expect(body.expiresIn).toBe('60');
  });

  test('a wrong secret, a wrong grant type and a missing parameter are refused', async () => {
    const simulator = await open();
    expect(await read(tokenUrl(simulator, 'wrong'))).toMatchObject({ status: 400, body: { code: '800001' } });
    const good = tokenUrl(simulator);
    for (const url of [good.replace('client_credential', 'password'), good.replace('appid', 'app')])
      expect(await read(url)).toMatchObject({ status: 400, body: { code: '800003' } });
  });

  test('a token ends with its lifetime, and the refresh token gives another', async () => {
    let now = 1_700_000_000_000;
    const simulator = await open({ tokenLifetimeSec: 10, nowMs: () => now });
    const { body } = await read(tokenUrl(simulator));
    now += 10_000;
    expect((await session.get('/openapi/health')).status).toBe(401);
    const refresh = `${simulator.baseUrl}/oauth2/client/v1/refreshToken?refreshToken=${body.refreshToken}`;
    const renewed = await read(refresh);
    const headers = { authorization: `Bearer ${renewed.body.accessToken}` };
    expect((await fetch(`${simulator.baseUrl}/openapi/health`, { headers })).status).toBe(200);
    expect((await read(refresh.replace('/client/', '/code/'))).status).toBe(400);
  });

  test('the user of a token can be asked', async () => {
    const simulator = await open();
    const token = await newToken(simulator);
    expect((await read(`${simulator.baseUrl}/oauth2/v1/${token}/username`)).body).toEqual({
      userName: 'admin0',
    });
    expect((await read(`${simulator.baseUrl}/oauth2/v1/nonsense/username`)).status).toBe(400);
  });
});

describe('code mode', () => {
  const authorize =
    '/oauth2/code/v1/authorize?responseType=code&appid=demo-app&redirectUri=http://app.example/back';

  test('an authorization code is exchanged once, with or without the secret', async () => {
    const simulator = await open();
    for (const secret of ['', `&secret=${session.simulator.secret}`]) {
      expect(await read(simulator.baseUrl + authorize)).toEqual({
        status: 200,
        location: null,
        body: undefined,
      });
      const exchange = `${simulator.baseUrl}/oauth2/code/v1/accessToken?grantType=authorization_code&appid=demo-app${secret}&code=${simulator.lastCode()}`;
      const first = await read(exchange);
      expect(first.status).toBe(200);
      expect((await read(exchange)).status).toBe(400);
      const refreshed = await read(
        `${simulator.baseUrl}/oauth2/code/v1/refreshToken?refreshToken=${first.body.refreshToken}`,
      );
      const username = `${simulator.baseUrl}/oauth2/v1/${refreshed.body.accessToken}/username`;
      expect((await read(username)).body).toEqual({ userName: 'user1' });
    }
  });

  test('the redirecting dialect hands the code and the state to redirectUri', async () => {
    const simulator = await open({ dialect: { authorizeReply: 'redirect' } });
    const { status, location } = await read(`${simulator.baseUrl}${authorize}&state=a%20b`);
    expect(status).toBe(302);
    const target = new URL(location ?? '');
    expect(target.searchParams.get('code')).toBe(simulator.lastCode());
    expect(target.searchParams.get('state')).toBe('a b');
  });
});

describe('dialect', () => {
  test('the forms of the token reply follow it', async () => {
    const simulator = await open({
      dialect: {
        expiresInAs: 'number',
        expiresInUnit: 'ms',
        refreshTokens: false,
        tokenForm: 'opaque',
        extraTokenMembers: true,
      },
    });
    const { body } = await read(tokenUrl(simulator));
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^AT-/),
      expiresIn: 7_200_000,
      tokenType: 'Bearer',
      scope: null,
    });
  });

  test('a new grant ends the old token, if set', async () => {
    const simulator = await open({ dialect: { grantEndsOldTokens: true } });
    expect((await session.get('/openapi/health')).status).toBe(200);
    await newToken(simulator);
    expect((await session.get('/openapi/health')).status).toBe(401);
  });

  test('a refresh token is good once, if set', async () => {
    const simulator = await open({ dialect: { refreshOnce: true } });
    const { body } = await read(tokenUrl(simulator));
    const url = `${simulator.baseUrl}/oauth2/client/v1/refreshToken?refreshToken=${body.refreshToken}`;
    expect([(await read(url)).status, (await read(url)).status]).toEqual([200, 400]);
  });

  test('the token is looked for in one place only', async () => {
    const simulator = await open();
    const token = await newToken(simulator);
    const status = async (headers: Record<string, string>, query = '') =>
      (await fetch(`${simulator.baseUrl}/openapi/health${query}`, { headers })).status;
    expect(await status({ authorization: token })).toBe(401);
    simulator.setDialect({ tokenPlace: { in: 'header', name: 'X-Token', scheme: '' } });
    expect([await status({ 'x-token': token }), await status({ authorization: `Bearer ${token}` })]).toEqual([
      200, 401,
    ]);
    simulator.setDialect({ tokenPlace: { in: 'query', name: 'ticket' } });
    expect([await status({}, `?ticket=${token}`), await status({ 'x-token': token })]).toEqual([200, 401]);
    expect(JSON.stringify(simulator.journal())).not.toContain(token);
  });

  test('a request without a valid token is refused as a gateway, a platform or a page does', async () => {
    const simulator = await open();
    simulator.revokeTokens();
    const refused = await session.get('/openapi/persons/v1');
    expect([refused.status, Object.keys(JSON.parse(refused.text))]).toEqual([401, ['message']]);
    simulator.setDialect({ unauthorized: 'platform' });
    expect((await session.get('/openapi/persons/v1')).status).toBe(400);
    simulator.setDialect({ unauthorized: 'html' });
    expect((await session.get('/openapi/persons/v1')).text).toMatch(/^<html>/);
  });
});
