import type { Migration } from './migration.ts';

/**
 * Adds the last complete poll of current alarms. By it the next poll tells how long an alarm was still shown.
 */
export const alarmPolls: Migration = {
  number: 4,
  name: 'alarm polls',
  sql: ({ ledger }) => `
create table ${ledger}.alarm_polls (
  filter text primary key,
  began_at timestamptz not null,
  ended_at timestamptz not null
);
comment on table ${ledger}.alarm_polls is 'The last complete poll of current alarms under each filter.';
comment on column ${ledger}.alarm_polls.filter is 'What the poll asked for, as JSON; empty for all alarms.';
comment on column ${ledger}.alarm_polls.began_at is 'When it was asked: what it showed was active after that.';
comment on column ${ledger}.alarm_polls.ended_at is 'When it was answered: what it did not show had cleared before that.';
`,
};
