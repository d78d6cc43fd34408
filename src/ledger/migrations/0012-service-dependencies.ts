import type { Migration } from './migration.ts';

/** Adds what each process of the service knows of its dependencies, so that other processes can tell it. */
export const serviceDependencies: Migration = {
  number: 12,
  name: 'service-dependencies',
  sql: ({ ledger }) => `
alter table ${ledger}.services add column dependencies jsonb not null default '{}';
comment on column ${ledger}.services.dependencies is 'What the process depends on: state, since when, and the reason.';
`,
};
