import type { BiView } from '../bi-view.ts';
import { secondsSql, waitSql } from '../history-sql.ts';

/** Escapes a part of a key that is joined by slashes, as the keys of rejects are. */
function keyPart(column: string): string {
  return `replace(replace(${column}, '~', '~0'), '/', '~1')`;
}

const alarmFacts: BiView = {
  name: 'alarm_facts',
  about: 'The alarms, one row each, from raised to ended. Filter by started_at.',
  columns: [
    {
      name: 'alarm_key',
      type: 'text',
      about:
        'Key of the alarm: object, property, show_name, alarm_type and started_at, joined by slashes; ~ and / in names are ~0 and ~1.',
    },
    {
      name: 'series_id',
      type: 'bigint',
      about: 'Number of the series with the values; null if it is not read.',
    },
    { name: 'object', type: 'text', about: 'Alias of the object that the alarm is of.' },
    { name: 'object_name', type: 'text', about: 'Name of the object as people read it, else its alias.' },
    { name: 'template_name', type: 'text', about: 'Alias of the template of the object.' },
    { name: 'property', type: 'text', about: 'Alias of the property that the alarm is of.' },
    {
      name: 'property_name',
      type: 'text',
      about: 'Name of the property: that of property_notes, else the name that people read, else its alias.',
    },
    { name: 'show_name', type: 'text', about: 'Name of the alarm.' },
    { name: 'alarm_type', type: 'text', about: 'Type of the alarm as the platform names it, such as GT.' },
    { name: 'priority', type: 'integer', about: 'Priority of the alarm, 1 to 10.' },
    { name: 'description', type: 'text', about: 'Description of the alarm.' },
    { name: 'value', type: 'text', about: 'Latest value of the alarm.' },
    { name: 'started_at', type: 'timestamptz', about: 'When the alarm was raised first.' },
    { name: 'local_started_at', type: 'timestamp', about: 'The same by the clock of the plant.' },
    {
      name: 'acknowledged_at',
      type: 'timestamptz',
      about:
        'When the alarm was acknowledged: as the platform states it, else when a poll found it. Null if it is not, or nobody knows when.',
    },
    { name: 'acknowledged_by', type: 'text', about: 'User who acknowledged the alarm.' },
    {
      name: 'ended_at',
      type: 'timestamptz',
      about: 'The last instant at which the alarm may have ended; null while it goes on, or if nobody knows.',
    },
    {
      name: 'time_to_acknowledge_sec',
      type: 'double precision',
      about: 'Seconds from started_at to acknowledged_at.',
    },
    {
      name: 'duration_sec',
      type: 'double precision',
      about:
        'Seconds from started_at to ended_at, also of an alarm that came back meanwhile; until now while it is active. Null if the end is not known.',
    },
    {
      name: 'is_active',
      type: 'boolean',
      about: 'Whether the alarm goes on; null if the platform sends an unknown status.',
    },
    {
      name: 'is_acknowledged',
      type: 'boolean',
      about: 'Whether the alarm is acknowledged; null if the platform sends an unknown status.',
    },
    {
      name: 'end_unknown',
      type: 'boolean',
      about: 'Whether the alarm has ended, or may have, and nobody knows when.',
    },
    {
      name: 'since_previous_sec',
      type: 'double precision',
      about:
        'Seconds since the alarm before with the same object, property, name and type was raised; null for the first.',
    },
  ],
  sql: ({ bi, data, zone }) => {
    const acknowledged = `case when a.is_acknowledged is not false then coalesce(a.acknowledged_at, (
        select max(v.at) from ${data}.alarm_events as v
        where v.object = a.object and v.property = a.property and v.show_name = a.show_name
          and v.alarm_type = a.alarm_type and v.transition = 'acknowledged' and v.started_at = a.started_at)) end`;
    const ended = 'case when a.is_active is false then a.cleared_before end';
    return `
    select concat_ws('/', ${['object', 'property', 'show_name', 'alarm_type'].map((name) => keyPart(`a.${name}`)).join(', ')},
        to_char(a.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) as alarm_key,
      t.series_id, a.object,
      coalesce(t.object_name, nullif(o.show_name, ''), nullif(a.object_show_name, ''), a.object) as object_name,
      o.template_name, a.property,
      coalesce(t.property_name, nullif(a.property_show_name, ''), a.property) as property_name,
      a.show_name, a.alarm_type, a.priority, a.description, a.value,
      a.started_at, a.started_at at time zone ${zone} as local_started_at,
      ${acknowledged} as acknowledged_at,
      case when a.is_acknowledged is not false then a.acknowledged_by end as acknowledged_by,
      ${ended} as ended_at,
      ${waitSql('a.started_at', acknowledged)} as time_to_acknowledge_sec,
      ${waitSql('a.started_at', `case when a.is_active then now() else ${ended} end`)} as duration_sec,
      a.is_active, a.is_acknowledged,
      a.is_active is not true and ${ended} is null as end_unknown,
      ${secondsSql(
        `(select max(b.started_at) from ${data}.alarms as b
          where b.object = a.object and b.property = a.property and b.show_name = a.show_name
            and b.alarm_type = a.alarm_type and b.started_at < a.started_at)`,
        'a.started_at',
      )} as since_previous_sec
    from ${data}.alarms as a
    left join ${data}.objects as o on o.name = a.object
    left join ${bi}.tags as t on t.object = a.object and t.property = a.property
    where a.deleted_at is null`;
  },
};

export const alarmViews: readonly BiView[] = [alarmFacts];
