import { createHash } from 'node:crypto';

/**
 * Returns a UUID that follows from a name. Superset finds by the UUID what a later import replaces, so it
 * must stay the same.
 */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(`plantsync ${name}`).digest('hex');
  // Version 8 is for UUIDs that a program makes by its own rule.
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}
