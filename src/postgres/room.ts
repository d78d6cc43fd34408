import type { Client } from 'pg';

/** A table of some hundred kilobytes, for which the server has to make its files larger. */
const PROBE = `create temp table room_probe on commit drop as
  select repeat(md5(n::text), 20) as filler from generate_series(1, 1000) as n`;

let isDoubted = false;

/** Notes that a server had no room on its disk just now. */
export function doubtRoom(): void {
  isDoubted = true;
}

/**
 * Rejects while the server has no room on its disk, if a statement failed for that before. A server whose
 * disk is full answers every question, and keeps nothing.
 */
export async function checkRoom(session: Client): Promise<void> {
  if (!isDoubted) return;
  await session.query(PROBE);
  isDoubted = false;
}
