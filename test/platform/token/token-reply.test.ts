import { describe, expect, it } from 'vitest';
import { MalformedReply } from '../../../src/platform/failure.ts';
import { decodeToken } from '../../../src/platform/token/token-reply.ts';

const requestedAtMs = Date.parse('2024-05-01T10:00:00Z');

function lifetimeMs(body: unknown, unit: 'auto' | 'seconds' | 'milliseconds' = 'auto'): number {
  const token = decodeToken(body, { requestedAtMs, unit });
  expect(token.issuedAtMs).toBe(requestedAtMs);
  return token.expiresAtMs - requestedAtMs;
}

function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.`;
}

const nowSec = requestedAtMs / 1000;

describe('decodeToken', () => {
  it.each(['7200', 7200])('reads a lifetime of %j as seconds', (expiresIn) => {
    expect(lifetimeMs({ accessToken: 'a', expiresIn })).toBe(7_200_000);
  });

  it.each(['two words', 'a\n', '\u0000', '令牌'])('refuses %j, which no header can hold', (accessToken) => {
    expect(() => decodeToken({ accessToken }, { requestedAtMs, unit: 'auto' })).toThrow(MalformedReply);
  });

  it('takes more than a week for milliseconds', () => {
    expect(lifetimeMs({ accessToken: 'a', expiresIn: '604800' })).toBe(604_800_000);
    expect(lifetimeMs({ accessToken: 'a', expiresIn: '7200000' })).toBe(7_200_000);
  });

  it('goes by the exp of a JWT before the size', () => {
    const week = jwt({ iat: nowSec, exp: nowSec + 3600 });
    expect(lifetimeMs({ accessToken: week, expiresIn: 3600 })).toBe(3_600_000);
    const short = jwt({ exp: nowSec + 600 });
    expect(lifetimeMs({ accessToken: short, expiresIn: 600_000 })).toBe(600_000);
    const month = jwt({ iat: nowSec, exp: nowSec + 2_592_000 });
    expect(lifetimeMs({ accessToken: month, expiresIn: 2_592_000 })).toBe(2_592_000_000);
  });

  it('does not depend on the difference between the clocks where a JWT says when it was issued', () => {
    const accessToken = jwt({ iat: nowSec - 86_400, exp: nowSec - 86_400 + 7200 });
    expect(lifetimeMs({ accessToken })).toBe(7_200_000);
  });

  it('does as the setting says', () => {
    expect(lifetimeMs({ accessToken: 'a', expiresIn: 7_200_000 }, 'seconds')).toBe(7_200_000_000);
    expect(lifetimeMs({ accessToken: 'a', expiresIn: 7200 }, 'milliseconds')).toBe(7200);
  });

  it.each([undefined, null, '', 'soon', 0, -1])('assumes an hour for a lifetime of %j', (expiresIn) => {
    expect(lifetimeMs({ accessToken: 'a', expiresIn })).toBe(3_600_000);
  });

  it('needs no refresh token and ignores further members', () => {
    const body = { accessToken: 'a', expiresIn: 1, scope: 'x' };
    expect(decodeToken(body, { requestedAtMs, unit: 'auto' }).refreshToken).toBeUndefined();
    const both = { ...body, refreshToken: 'r' };
    expect(decodeToken(both, { requestedAtMs, unit: 'auto' }).refreshToken).toBe('r');
  });

  it.each([undefined, {}, { accessToken: '' }, { accessToken: 1 }])('refuses %j', (body) => {
    expect(() => decodeToken(body, { requestedAtMs, unit: 'auto' })).toThrow(MalformedReply);
  });
});
