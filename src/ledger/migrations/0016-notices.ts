import type { Migration } from './migration.ts';

/** Adds what the webhooks were told, so that no restart tells it again. */
export const notices: Migration = {
  number: 16,
  name: 'notices',
  sql: ({ ledger }) => `
create table ${ledger}.notices (
  id text primary key,
  key text not null,
  opened_at timestamptz not null,
  recovered_at timestamptz,
  body jsonb not null,
  told jsonb not null
);
comment on table ${ledger}.notices is 'Problems that webhooks are told of, until all of them know that the problem is over.';
comment on column ${ledger}.notices.key is 'What the problem is, and what it is about: the same problem has the same key.';
comment on column ${ledger}.notices.opened_at is 'When the problem was told.';
comment on column ${ledger}.notices.recovered_at is 'When the recovery was told; null while the problem lasts.';
comment on column ${ledger}.notices.body is 'The problem as the webhooks get it.';
comment on column ${ledger}.notices.told is 'By name of each webhook what it has taken: opened or recovered.';
`,
};
