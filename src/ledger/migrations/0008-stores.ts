import type { Migration } from './migration.ts';

/** Adds the stores that were declared to be new, though another store of the same kind and place is known. */
export const stores: Migration = {
  number: 8,
  name: 'stores',
  sql: ({ ledger }) => `
create table ${ledger}.stores (
  store text primary key,
  added_at timestamptz not null default now()
);
comment on table ${ledger}.stores is 'Stores that people declared to be new: they are filled from their own start.';
comment on column ${ledger}.stores.store is 'Identity of the store, as in coverage.';
`,
};
