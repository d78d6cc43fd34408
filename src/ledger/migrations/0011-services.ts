import type { Migration } from './migration.ts';

/** Adds the processes of the service, their signs of life, and the jobs that each has found to be overdue. */
export const services: Migration = {
  number: 11,
  name: 'services',
  sql: ({ ledger }) => `
create table ${ledger}.services (
  id bigint generated always as identity primary key,
  host text not null,
  pid integer not null,
  role text not null,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now(),
  overdue jsonb not null default '[]'
);
comment on table ${ledger}.services is 'The processes of the service that run. One that has ended as told has no row.';
comment on column ${ledger}.services.role is 'all, scheduler, worker or console.';
comment on column ${ledger}.services.beat_at is 'Last sign of life.';
comment on column ${ledger}.services.overdue is 'Jobs that should have begun long ago and that nothing runs, as this process sees it.';
`,
};
