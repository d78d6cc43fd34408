import { hash } from 'node:crypto';

/** A larger body has no digest, because computing it would hold up the process. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Characters of a digest: 132 bits. */
const DIGEST_CHARACTERS = 22;

/**
 * Returns a text that is the same only for the same bytes. Returns undefined for a body that is too large.
 */
export function digestBody(content: Buffer): string | undefined {
  if (content.length > MAX_BYTES) return undefined;
  return hash('sha256', content, 'base64').slice(0, DIGEST_CHARACTERS);
}
