import type { Migration } from './migration.ts';

/**
 * Adds tables that people fill and plantsync only reads: notes on properties, and shifts. The ledger
 * remembers which views for BI tools were made.
 */
export const forPeople: Migration = {
  number: 14,
  name: 'notes, shifts and views',
  sql: ({ ledger, data }) => `
create table ${data}.property_notes (
  object text not null,
  property text not null,
  unit text,
  display_name text,
  low double precision,
  high double precision,
  target double precision,
  comment text,
  primary key (object, property)
);
comment on table ${data}.property_notes is 'What people know of the properties. People write it, plantsync only reads it.';
comment on column ${data}.property_notes.object is 'Alias of the object. * stands for every object that has the property: its columns count where the note of an object says nothing.';
comment on column ${data}.property_notes.property is 'Alias of the property.';
comment on column ${data}.property_notes.unit is 'Unit of the values, such as °C.';
comment on column ${data}.property_notes.display_name is 'Name of the property on dashboards, if another than that of the platform.';
comment on column ${data}.property_notes.low is 'Values below are too low.';
comment on column ${data}.property_notes.high is 'Values above are too high.';
comment on column ${data}.property_notes.target is 'The value that is aimed at.';
comment on column ${data}.property_notes.comment is 'Free text.';

create table ${data}.shifts (
  name text primary key,
  begins time not null,
  ends time not null,
  weekdays integer[] not null default '{1,2,3,4,5,6,7}' check (weekdays <@ '{1,2,3,4,5,6,7}')
);
comment on table ${data}.shifts is 'Shifts of the plant in its time zone. People write it, plantsync only reads it.';
comment on column ${data}.shifts.name is 'Name of the shift, such as early.';
comment on column ${data}.shifts.begins is 'Time of day at which the shift begins.';
comment on column ${data}.shifts.ends is 'Time of day at which it ends; on the next day if that is not after its begin.';
comment on column ${data}.shifts.weekdays is 'Days of the week on which it begins: 1 is Monday, 7 is Sunday.';

create table ${ledger}.views (
  schema text primary key,
  digest text not null,
  program text not null,
  made jsonb not null,
  used text[] not null,
  made_at timestamptz not null default now()
);
comment on table ${ledger}.views is 'Which views for BI tools were made, one row for each schema.';
comment on column ${ledger}.views.schema is 'Schema of the views.';
comment on column ${ledger}.views.digest is 'Digest of all definitions: with another one the views are made again.';
comment on column ${ledger}.views.program is 'Version of plantsync that made them; an older one leaves them alone.';
comment on column ${ledger}.views.made is 'Name of each view and function, and what a function takes.';
comment on column ${ledger}.views.used is 'Names of the tables that the views read.';
comment on column ${ledger}.views.made_at is 'When they were last made.';
`,
};
