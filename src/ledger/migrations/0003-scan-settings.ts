import type { Migration } from './migration.ts';

/** Adds the settings with which a scan began. */
export const scanSettings: Migration = {
  number: 3,
  name: 'scan settings',
  sql: ({ ledger }) => `
alter table ${ledger}.scans add column settings text not null default '';
comment on column ${ledger}.scans.settings is 'What was asked for, and what was kept of it: a scan that was cut goes on only under the same.';
`,
};
