import type { Migration } from './migration.ts';

/** Adds what people ask of a running service: pauses, runs now, and the end of a backfill. */
export const control: Migration = {
  number: 6,
  name: 'control',
  sql: ({ ledger }) => `
create table ${ledger}.pauses (
  target text primary key,
  since timestamptz not null default now()
);
comment on table ${ledger}.pauses is 'What the service does not begin until it is resumed.';
comment on column ${ledger}.pauses.target is 'A stream, a job, or * for everything.';

create table ${ledger}.triggers (
  id bigint generated always as identity primary key,
  job text not null,
  asked_at timestamptz not null default now(),
  taken_at timestamptz
);
comment on table ${ledger}.triggers is 'Runs that people asked for; those taken are kept for a day.';
comment on column ${ledger}.triggers.taken_at is 'When a service took it.';

alter table ${ledger}.runs add column cancel_asked_at timestamptz;
comment on column ${ledger}.runs.cancel_asked_at is 'When somebody asked that the run end.';
`,
};
