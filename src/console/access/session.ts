import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Name of the cookie of a signed-in browser. */
export const SESSION_COOKIE = 'plantsync_session';
/** After this long without a visit, people sign in again. */
export const SESSION_SEC = 7 * 86_400;

/**
 * Makes the value of a session cookie: its end in epoch seconds, signed with a key that only the token gives.
 * So all processes with the same token know it, and a new token ends all sessions.
 */
export function makeSession(token: string, nowMs: number): string {
  const end = Math.floor(nowMs / 1000) + SESSION_SEC;
  return `${end}.${sign(token, end)}`;
}

/** Tells whether the value of a cookie is a session of this token that has not ended. */
export function isSession(
  value: string | undefined,
  { token, nowMs }: { token: string; nowMs: number },
): boolean {
  const [, end, signature] = /^(\d{1,12})\.([\w-]{43})$/.exec(value ?? '') ?? [];
  if (end === undefined || signature === undefined) return false;
  return isSame(signature, sign(token, Number(end))) && Number(end) * 1000 > nowMs;
}

/** Compares two secrets in a time that tells nothing about either. */
export function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'));
}

function sign(token: string, end: number): string {
  return createHmac('sha256', token).update(`plantsync console session until ${end}`).digest('base64url');
}
