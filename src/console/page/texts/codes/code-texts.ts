import type { CodeOf } from '../../../../error-codes/error-codes.ts';

/** What a code means, and what to do. */
export type CodeText = readonly [meaning: string, remedy: string];

/** Texts of the codes of some areas. Those that people meet at a terminal only may be left out. */
export type CodeTexts<Area extends string> = { readonly [Code in CodeOf<Area>]?: CodeText };
