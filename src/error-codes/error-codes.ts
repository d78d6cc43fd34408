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

/**
 * What the list says of a code. Undefined if the list lacks it: codes in the ledger may come from another
 * version of plantsync.
 */
export function findEntry(code: string): CodeEntry | undefined {
  return Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode] : undefined;
}
