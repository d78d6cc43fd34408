import type { Migration } from './migration.ts';

/**
 * Numbers the claims without a sequence. A replica that was promoted before its first restart point may be
 * unable to read the sequence of an unlogged table. Then nobody could claim a window.
 */
export const claimNumbers: Migration = {
  number: 21,
  name: 'claim numbers',
  sql: ({ ledger }) => `
alter table ${ledger}.claims alter column id drop identity,
  alter column id set default (random() * 9007199254740991)::bigint;
comment on column ${ledger}.claims.id is 'Number of the claim, chosen at random.';
`,
};
