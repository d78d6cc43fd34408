import { decodeJwt } from 'jose';
import type { DialectOptions } from '../dialect.ts';
import { MalformedReply } from '../failure.ts';
import { isObject } from '../json/is-object.ts';
import type { StoredToken } from '../platform.ts';

/** A larger `expiresIn` cannot be in seconds, since no access token lives longer than a week. */
const WEEK_SEC = 604_800;
/** The lifetime of a token if the reply does not state it. HTTP 401 then tells that the token has ended. */
const UNSTATED_LIFETIME_MS = 3_600_000;

/**
 * Reads `{accessToken, expiresIn, refreshToken}` (ResponseSuccess). `requestedAtMs` is the time when the
 * request went out. Throws `MalformedReply` if the access token is missing or unusable.
 */
export function decodeToken(
  body: unknown,
  { requestedAtMs, unit }: { requestedAtMs: number; unit: DialectOptions['expiresIn'] },
): StoredToken {
  const { accessToken, expiresIn, refreshToken } = isObject(body) ? body : {};
  if (typeof accessToken !== 'string' || accessToken === '')
    throw new MalformedReply('the reply has no accessToken');
  if (!/^[\x21-\x7e]+$/.test(accessToken))
    throw new MalformedReply(
      'the accessToken of the reply holds blanks, line ends or other characters that no token has',
    );
  const stated = Number(expiresIn);
  const lifetimeMs = tokenLifetimeMs(
    accessToken,
    Number.isFinite(stated) && stated > 0 ? stated : undefined,
    {
      requestedAtMs,
      unit,
    },
  );
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
    issuedAtMs: requestedAtMs,
    expiresAtMs: requestedAtMs + lifetimeMs,
  };
}

function tokenLifetimeMs(
  accessToken: string,
  stated: number | undefined,
  { requestedAtMs, unit }: { requestedAtMs: number; unit: DialectOptions['expiresIn'] },
): number {
  if (stated !== undefined && unit === 'milliseconds') return stated;
  if (stated !== undefined && unit === 'seconds') return stated * 1000;
  const jwtMs = jwtLifetimeMs(accessToken, requestedAtMs);
  if (stated === undefined) return jwtMs ?? UNSTATED_LIFETIME_MS;
  if (jwtMs === undefined) return stated > WEEK_SEC ? stated : stated * 1000;
  const distance = (ms: number) => Math.abs(Math.log(ms / jwtMs));
  return distance(stated) < distance(stated * 1000) ? stated : stated * 1000;
}

/**
 * Returns `exp` minus `iat` of a JWT, which no difference between clocks affects. Returns undefined for other
 * tokens.
 */
function jwtLifetimeMs(accessToken: string, nowMs: number): number | undefined {
  const claims = claimsOf(accessToken);
  if (claims?.exp === undefined) return undefined;
  const lifetimeMs = claims.exp * 1000 - (claims.iat === undefined ? nowMs : claims.iat * 1000);
  return lifetimeMs > 0 ? lifetimeMs : undefined;
}

function claimsOf(accessToken: string): { exp?: number; iat?: number } | undefined {
  try {
    const { exp, iat } = decodeJwt(accessToken);
    return { ...(exp === undefined ? {} : { exp }), ...(iat === undefined ? {} : { iat }) };
  } catch {
    // The token is no JWT. An opaque token is just as good.
    return undefined;
  }
}
