import type { Database } from '../../../src/postgres/connect.ts';
import type { Span } from './fill-samples.ts';
import type { PlantSize } from './plant-size.ts';

const ALARMS_PER_DAY = 200;
const CHANGES = 20_000;
const RUNS_OF_EACH_KIND = 1000;

/** Fills alarms, changes, runs, drift and current values. */
export async function fillLedger(db: Database, { pumps }: PlantSize, span: Span): Promise<void> {
  await fillAlarms(db, span, pumps);
  await fillChanges(db, span, pumps);
  await fillRuns(db, span);
  await db.query(
    `insert into plantsync.drift (stream, table_name, member, kind, since, last_at, count)
     select 'objects', 'objects', 'member' || n, 'new', now(), now(), n from generate_series(1, 50) as n`,
  );
  await db.query(
    `insert into plant.current_values (series_id, at, value, text, changed_at)
     select s.series_id, p.at, p.value, p.text, p.at from plant.series as s
     cross join lateral (select * from plant.samples as v where v.series_id = s.series_id
       order by v.at desc limit 1) as p`,
  );
}

async function fillAlarms(db: Database, { from, to }: Span, pumps: number): Promise<void> {
  await db.query(
    `insert into plant.alarms (object, property, show_name, alarm_type, started_at, priority, value, status,
       ack_status, acknowledged_at, acknowledged_by, twins, is_active, is_acknowledged, shown_at, cleared_after,
       cleared_before)
     select o.name, 'temp', case when n % 4 = 0 then 'Vibrates' else 'Overheated' end, 'GT', r.at, 1 + n % 5, '93.5',
       (not r.over)::integer, r.known::integer, case when r.known then r.at + n % 900 * interval '1 second' end,
       case when r.known then 'user' || n % 100 end, 1, not r.over, r.known, r.at,
       case when r.over then r.at + n % 3600 * interval '1 second' end,
       case when r.over then r.at + (n % 3600 + 10) * interval '1 second' end
     from generate_series(1, greatest(1, round(extract(epoch from $2::timestamptz - $1) / 86400 * $3::integer))::integer) as n
     join plant.objects as o on o.name = 'pump' || 1 + n * 7 % $4::integer
     cross join lateral (select $1::timestamptz + n * interval '1 day' / $3 as at, n % 1000 > 0 as over, n % 3 > 0 as known) as r`,
    [from, to, ALARMS_PER_DAY, pumps],
  );
}

/** Each pump has been changed some times. Most changes are of persons. */
async function fillChanges(db: Database, { from, to }: Span, pumps: number): Promise<void> {
  await db.query(
    `insert into plantsync.changes (table_name, key, at, kind, before)
     select c.table_name, jsonb_build_object('name', c.name), c.at, 'updated', jsonb_build_object(
       'name', c.name, 'show_name', 'Name ' || n, 'template_name', 'Pump', 'deleted_at', null)
     from generate_series(1, $3::integer) as n
     cross join lateral (
       select $1::timestamptz + n * ($2::timestamptz - $1) / $3 as at, n % 20 = 0 as of_pump) as k
     cross join lateral (
       select k.at, case when k.of_pump then 'objects' else 'persons' end as table_name,
         case when k.of_pump then 'pump' || 1 + n / 20 % $4::integer else 'P' || 1 + n % 500 end as name) as c
     order by n`,
    [from, to, CHANGES, pumps],
  );
}

async function fillRuns(db: Database, { to }: Span): Promise<void> {
  await db.query(
    `insert into plantsync.runs (stream, kind, started_at, beat_at, finished_at, status, host, pid, summary)
     select k.stream, k.kind, t.at, t.at, t.at + interval '1 second', 'done', 'bench', 1,
       jsonb_build_object('seconds', 1, 'records', n, 'points', jsonb_build_object('postgres:plant', n),
         'rejects', 0, 'requests', 2)
     from (values ('objects', 'scan'), ('persons', 'scan'), ('history', 'increment'), ('current', 'poll'),
       ('alarms', 'poll')) as k (stream, kind)
     cross join generate_series($2::integer, 1, -1) as n
     cross join lateral (select $1::timestamptz - n * interval '2 minutes' as at) as t`,
    [to, RUNS_OF_EACH_KIND],
  );
}
