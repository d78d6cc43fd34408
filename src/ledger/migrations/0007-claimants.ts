import type { Migration } from './migration.ts';

/** Lets all fillings of a process claim their windows in one session of the server. */
export const claimants: Migration = {
  number: 7,
  name: 'claimants',
  sql: ({ ledger }) => `
delete from ${ledger}.claims;
alter table ${ledger}.claims add column claimant integer not null, drop column session_started;
comment on column ${ledger}.claims.session is 'Number of the server process that serves the process which reads the window: the claim ends with it.';
comment on column ${ledger}.claims.claimant is 'Number of the filling that reads the window, chosen at random.';
`,
};
