import type { BiNames } from '../../src/bi/bi-view.ts';

/** The names of an installation with the default schemas. */
export const defaultNames: BiNames = {
  bi: '"bi"',
  data: '"plant"',
  ledger: '"plantsync"',
  zone: `'Europe/Berlin'`,
};
