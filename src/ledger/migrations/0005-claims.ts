import type { Migration } from './migration.ts';

/** Adds the windows that are being read, so that two processes do not read the same ones at the same time. */
export const claims: Migration = {
  number: 5,
  name: 'claims',
  sql: ({ ledger }) => `
create unlogged table ${ledger}.claims (
  id bigint generated always as identity primary key,
  session integer not null,
  session_started timestamptz not null,
  stream text not null,
  series_ids bigint[] not null,
  range tstzrange not null,
  until timestamptz not null
);
comment on table ${ledger}.claims is 'Windows of history that are being read just now. Nothing depends on them but that little is read twice.';
comment on column ${ledger}.claims.session is 'Number of the server process that serves the filling which reads the window: the claim ends with it.';
comment on column ${ledger}.claims.until is 'When the claim ends by itself, should the server not notice that the filling is gone.';
`,
};
