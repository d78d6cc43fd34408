import type { CodeEntry } from './code-entry.ts';
import { commandCodes } from './command-codes.ts';
import { platformCodes } from './platform-codes.ts';
import { storeCodes } from './store-codes.ts';

/**
 * The list of all codes that an error can have, as `area.reason`. A code is stable, because users search for
 * it and alerts match it. A code never gets another meaning, also after nothing uses it any more.
 */
export const errorCodes = { ...platformCodes, ...storeCodes, ...commandCodes } as const;

export type ErrorCode = keyof typeof errorCodes;

/** The codes of some areas. */
export type CodeOf<Area extends string> = Extract<ErrorCode, `${Area}.${string}`>;

/** What the list says of a code. */
export function entryOf(code: ErrorCode): CodeEntry {
  return errorCodes[code];
}
