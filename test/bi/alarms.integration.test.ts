import { expect, test } from 'vitest';
import { objectDetails } from '../../src/streams/object-details.ts';
import { objectProperties } from '../../src/streams/object-properties.ts';
import { objects } from '../../src/streams/objects.ts';
import { type MadePlant, type Time, useMadePlant } from './made-plant.ts';

const openPlant = useMadePlant();

interface MadeAlarm {
  readonly at: Time;
  readonly name?: string;
  readonly object?: string;
  readonly type?: string;
  readonly priority?: number;
  readonly active?: boolean | null;
  readonly cleared?: Time;
  readonly acknowledged?: boolean | null;
  readonly acknowledgedAt?: Time;
  readonly by?: string;
}

async function raise(plant: MadePlant, alarms: readonly MadeAlarm[]): Promise<void> {
  for (const alarm of alarms)
    await plant.db.query(
      `insert into plant.alarms (object, property, show_name, alarm_type, started_at, object_show_name, priority,
         value, is_active, cleared_before, is_acknowledged, acknowledged_at, acknowledged_by, twins)
       values ($1, 'temp', $2, $3, $4, 'Shown then', $5, '93.5', $6, $7, $8, $9, $10, 1)`,
      [
        ...[alarm.object ?? 'pump1', alarm.name ?? 'Hot', alarm.type ?? 'GT', alarm.at, alarm.priority ?? 5],
        ...[alarm.active ?? null, alarm.cleared ?? null, alarm.acknowledged ?? null],
        ...[alarm.acknowledgedAt ?? null, alarm.by ?? null],
      ],
    );
}

test('an alarm tells how long it lasted, and waited to be acknowledged, where that is known', async () => {
  const plant = await openPlant();
  await raise(plant, [
    {
      ...{ at: '2024-01-01 08:00', active: false, cleared: '2024-01-01 09:00' },
      ...{ acknowledged: true, acknowledgedAt: '2024-01-01 08:10', by: 'lina' },
    },
    // It had ended before anybody looked.
    { at: '2024-01-01 10:00', active: false, acknowledged: false },
    // Somebody took the acknowledgement back.
    {
      ...{ at: '2024-01-01 11:00', active: false, cleared: '2024-01-01 11:30' },
      ...{ acknowledged: false, acknowledgedAt: '2024-01-01 11:05', by: 'lina' },
    },
    // The platform sends statuses that nobody knows.
    { at: '2024-01-01 12:00', active: null, acknowledged: null },
    // The clock of the platform was put back meanwhile.
    {
      ...{ at: '2024-01-01 13:00', active: false, cleared: '2024-01-01 12:59' },
      ...{ acknowledged: true, acknowledgedAt: '2024-01-01 12:58' },
    },
  ]);
  const facts = `select started_at, acknowledged_at, acknowledged_by, ended_at, time_to_acknowledge_sec, duration_sec,
    end_unknown, since_previous_sec from bi.alarm_facts order by 1`;
  expect(await plant.ask(facts)).toEqual([
    ['2024-01-01 08:00', '2024-01-01 08:10', 'lina', '2024-01-01 09:00', 600, 3600, false, null],
    ['2024-01-01 10:00', null, null, null, null, null, true, 7200],
    ['2024-01-01 11:00', null, null, '2024-01-01 11:30', null, 1800, false, 3600],
    ['2024-01-01 12:00', null, null, null, null, null, true, 3600],
    ['2024-01-01 13:00', '2024-01-01 12:58', null, '2024-01-01 12:59', 0, 0, false, 3600],
  ]);
});

test('an active alarm lasts until now, also if it came back', async () => {
  const plant = await openPlant();
  await raise(plant, [{ at: '2024-01-01 08:00', active: true, cleared: '2024-01-01 09:00' }]);
  expect(
    await plant.ask(
      `select ended_at, is_active, end_unknown, duration_sec = extract(epoch from now() - started_at) as lasts
       from bi.alarm_facts`,
    ),
  ).toEqual([[null, true, false, true]]);
});

test('where the platform does not state when an alarm was acknowledged, the poll that found it does', async () => {
  const plant = await openPlant();
  await raise(plant, [
    { at: '2024-01-01 08:00', active: true, acknowledged: true },
    { at: '2024-01-01 10:00', active: true, acknowledged: true },
  ]);
  const event = `'pump1', 'temp', 'Hot', 'GT', '2024-01-01 08:00', 0`;
  await plant.run(
    `insert into plant.alarm_events (object, property, show_name, alarm_type, started_at, place, transition, at) values
       (${event}, 'raised', '2024-01-01 08:00'), (${event}, 'acknowledged', '2024-01-01 08:05'),
       (${event}, 'unacknowledged', '2024-01-01 08:10'), (${event}, 'acknowledged', '2024-01-01 08:20')`,
  );
  expect(
    await plant.ask(
      'select acknowledged_at, time_to_acknowledge_sec from bi.alarm_facts order by started_at',
    ),
  ).toEqual([
    ['2024-01-01 08:20', 1200],
    [null, null],
  ]);
});

test('an alarm has the names of now, also of an object that is deleted or was never seen', async () => {
  const plant = await openPlant();
  await plant.load(objects, '2023-01-01 00:00', [{ name: 'pump1', show_name: 'Feed pump' }]);
  await plant.load(objectDetails, '2023-01-01 00:00', [{ name: 'pump1', template_name: 'Pump' }]);
  await plant.load(objectProperties, '2023-01-01 00:00', [
    { object: 'pump1', property: 'temp', show_name: 'Temperature' },
  ]);
  const series = await plant.series('pump1.temp', 'Double');
  await raise(plant, [
    { at: '2024-01-01 08:00', name: 'Hot/cold~' },
    { at: '2024-01-01 09:00', object: 'tank/1' },
  ]);
  const names = `select alarm_key, series_id, object_name, template_name, property_name, local_started_at
    from bi.alarm_facts order by started_at`;
  const unseen = ['tank~11/temp/Hot/GT/2024-01-01T09:00:00.000000Z', null, 'Shown then', null, 'temp'];
  expect(await plant.ask(names)).toEqual([
    [
      ...['pump1/temp/Hot~1cold~0/GT/2024-01-01T08:00:00.000000Z', series.id],
      ...['Feed pump', 'Pump', 'Temperature', '2024-01-01 09:00'],
    ],
    [...unseen, '2024-01-01 10:00'],
  ]);
  await plant.load(objects, '2024-02-01 00:00', [{ name: 'pump1', show_name: 'Boiler pump' }]);
  await plant.remove(objects, '2024-03-01 00:00', [{ name: 'pump1' }]);
  await plant.run(
    `insert into plant.property_notes (object, property, display_name) values ('*', 'temp', 'Bearing')`,
  );
  expect((await plant.ask(names)).map(([, , object, , property]) => [object, property])).toEqual([
    ['Boiler pump', 'Bearing'],
    ['Shown then', 'temp'],
  ]);
});

test('weeks begin on the Monday of the plant, and count by priority', async () => {
  const plant = await openPlant();
  // The week of 25 March 2024 ends with the change to summer time, at 22:00 UTC on Sunday.
  await raise(plant, [
    { at: '2024-03-24 22:59', priority: 1, active: false, cleared: '2024-03-24 23:59' },
    { at: '2024-03-24 23:00', priority: 1, active: false, cleared: '2024-03-25 00:00', acknowledged: true },
    {
      ...{ at: '2024-03-26 08:00', priority: 1, active: false, cleared: '2024-03-26 11:00' },
      ...{ acknowledged: true, acknowledgedAt: '2024-03-26 08:01' },
    },
    { at: '2024-03-27 08:00', priority: 1, active: false, acknowledged: false },
    { at: '2024-03-31 21:59', priority: 1, active: true, acknowledged: false },
    { at: '2024-03-31 22:00', priority: 1, active: true, acknowledged: null },
    { at: '2024-04-16 08:00', priority: 2, active: null },
  ]);
  expect(await plant.ask('select * from bi.alarms_weekly order by week, priority')).toEqual([
    ['2024-03-18', 1, 1, 0, 3600, 3600, null, null, 0],
    ['2024-03-25', 1, 4, 1, 7200, 10_440, 60, 60, 2],
    ['2024-04-01', 1, 1, 1, null, null, null, null, 0],
    ['2024-04-15', 2, 1, 1, null, null, null, null, 0],
  ]);
});

test('the pareto counts alarms of a range by name and object, with their bursts', async () => {
  const plant = await openPlant();
  await raise(plant, [
    { at: '2024-01-01 07:55' },
    { at: '2024-01-01 08:00' },
    { at: '2024-01-01 08:10' },
    { at: '2024-01-01 08:10', type: 'GE' },
    { at: '2024-01-01 08:21' },
    { at: '2024-01-01 09:00', object: 'pump2' },
    { at: '2024-01-01 09:00', name: 'Cold' },
    { at: '2024-01-01 09:02', name: 'Cold', object: 'pump2' },
    { at: '2024-01-01 10:00' },
  ]);
  expect(
    await plant.ask(
      `select show_name, object, alarms, round(share_of_all::numeric, 3) as share,
         round(cumulative_share::numeric, 3) as total, bursts
       from bi.alarm_pareto('2024-01-01 08:00', '2024-01-01 10:00')`,
    ),
  ).toEqual([
    ['Hot', 'pump1', 4, 0.571, 0.571, 3],
    ['Cold', 'pump1', 1, 0.143, 0.714, 0],
    ['Cold', 'pump2', 1, 0.143, 0.857, 0],
    ['Hot', 'pump2', 1, 0.143, 1, 0],
  ]);
  expect(await plant.ask(`select * from bi.alarm_pareto('2023-01-01', '2023-01-02')`)).toEqual([]);
});
