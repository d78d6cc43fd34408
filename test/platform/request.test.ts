import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/errors.ts';
import { defaultDialect } from '../../src/platform/dialect.ts';
import { buildRequest, type RequestOptions } from '../../src/platform/request.ts';

const options: RequestOptions = {
  baseUrl: 'https://plant.test',
  appId: 'app',
  secret: 's&cret',
  timezone: undefined,
  dialect: defaultDialect,
};

describe('buildRequest', () => {
  it.each([
    ['https://plant.test', '/openapi/health'],
    ['https://plant.test/', '/openapi/health'],
    ['https://plant.test/gw', '/gw/openapi/health'],
    ['https://plant.test/gw/', '/gw/openapi/health'],
    ['https://plant.test//gw//api//', '/gw/api/openapi/health'],
  ])('joins %s without double slashes', (baseUrl, path) => {
    expect(buildRequest({ ...options, baseUrl }, 'getHealth', {}).path).toBe(path);
  });

  it.each([
    ['泵1', '%E6%B3%B51'],
    ['a/b c%41+?#', 'a%2Fb%20c%2541%2B%3F%23'],
    ['\'"\\`!()*', '%27%22%5C%60%21%28%29%2A'],
    ['..', '%2E%2E'],
    ['a.b', 'a.b'],
    ['\ud83d', '%EF%BF%BD'],
  ])('encodes the alias %s exactly once', (objName, segment) => {
    const { path } = buildRequest(options, 'getObject', { path: { objName } });
    expect(path).toBe(`/openapi/objects/v1/${segment}`);
  });

  it.each([undefined, '', null])('refuses the path parameter %s', (objName) => {
    const build = () => buildRequest(options, 'getObject', { path: { objName } });
    expect(build).toThrow(expect.objectContaining({ kind: 'parameter', operation: 'getObject' }));
    expect(build).toThrow(PlatformError);
  });

  it('leaves out absent query parameters and keeps empty and false ones', () => {
    const query = {
      templateName: '',
      keyword: undefined,
      objName: null,
      page: 1,
      hasAccount: false,
      name: 'a+b &=',
    };
    expect(buildRequest(options, 'listObjects', { query }).query).toBe(
      'templateName=&page=1&hasAccount=false&name=a%2Bb%20%26%3D',
    );
  });

  it.each([
    ['repeat', 'modelLabels=a%2Cb&modelLabels=c'],
    ['comma', 'modelLabels=a%2Cb,c'],
    ['brackets', 'modelLabels%5B%5D=a%2Cb&modelLabels%5B%5D=c'],
  ] as const)('writes array parameters by %s', (arrayQuery, expected) => {
    const dialect = { ...defaultDialect, arrayQuery };
    const build = (modelLabels: string[]) =>
      buildRequest({ ...options, dialect }, 'listObjects', { query: { modelLabels } }).query;
    expect(build(['a,b', 'c'])).toBe(expected);
    expect(build([])).toBe('');
  });

  it('sets the fixed values and our credentials of the token operations', () => {
    const query = (id: Parameters<typeof buildRequest>[1], given: Record<string, string> = {}) =>
      Object.fromEntries(new URLSearchParams(buildRequest(options, id, { query: given }).query));
    expect(query('getClientAccessToken', { grantType: 'other' })).toEqual({
      appid: 'app',
      secret: 's&cret',
      grantType: 'client_credential',
    });
    expect(query('getCodeAccessToken', { code: 'c' })).toEqual({
      appid: 'app',
      secret: 's&cret',
      code: 'c',
      grantType: 'authorization_code',
    });
    expect(query('authorizeCode', { redirectUri: 'https://me.test' })).toEqual({
      appid: 'app',
      state: expect.any(String),
      redirectUri: 'https://me.test',
      responseType: 'code',
    });
  });

  it.each([
    ['offset', 'Asia/Shanghai', '2024-07-01T16:00:00.000+08:00'],
    ['offset', undefined, '2024-07-01T08:00:00.000+00:00'],
    ['utc', 'Asia/Shanghai', '2024-07-01T08:00:00Z'],
    ['epoch-ms', 'Asia/Shanghai', '1719820800000'],
    ['local', 'Asia/Shanghai', '2024-07-01 16:00:00'],
    ['local', undefined, '2024-07-01 08:00:00'],
  ] as const)('writes times of alarms as %s in zone %s', (alarmTimes, timezone, expected) => {
    const dialect = { ...defaultDialect, alarmTimes };
    const query = { startTime: '2024-07-01T10:00:00+02:00', endTime: 'as it is' };
    const built = buildRequest({ ...options, timezone, dialect }, 'listAlarmHistory', { query });
    const sent = new URLSearchParams(built.query);
    expect(sent.get('startTime')).toBe(expected);
    expect(sent.get('endTime')).toBe('as it is');
    expect(built.query).not.toContain('+');
  });

  it('leaves out times of alarms that were not given', () => {
    expect(buildRequest(options, 'listAlarmHistory', { query: { page: 2 } }).query).toBe('page=2');
  });

  it('writes bigints of a body with all digits', () => {
    const body = { id: 9007199254740993n, name: 'x' };
    expect(buildRequest(options, 'addDatatableEntry', { path: { objName: 't' }, body }).body).toBe(
      '{"id":9007199254740993,"name":"x"}',
    );
  });

  it('names operations by method and path, and those that carry secrets by words only', () => {
    expect(buildRequest(options, 'getObject', { path: { objName: 'p 1' } }).label).toBe(
      'getObject (GET /openapi/objects/v1/p%201) at plant.test',
    );
    const username = buildRequest(options, 'getTokenUsername', { path: { accessToken: 'AT-canary' } });
    expect(username.path).toBe('/oauth2/v1/AT-canary/username');
    expect(username.label).toBe('user name request of a token at plant.test');
    expect(username.secrets).toContain('AT-canary');
    expect(buildRequest(options, 'getClientAccessToken', {}).label).toBe(
      'access token request at plant.test',
    );
  });
});
