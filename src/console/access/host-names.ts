import { isIP } from 'node:net';

/** Tells whether an address is one of this machine alone: 127.0.0.0/8, ::1 or localhost. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').replace(/^::ffff:/i, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** Returns the name in a Host header or an origin, without port and brackets. Undefined if there is none. */
export function nameOf(authority: string | undefined): string | undefined {
  const url = `http://${authority}`;
  if (!authority || !URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/^\[|\]$/g, '').toLowerCase();
}
