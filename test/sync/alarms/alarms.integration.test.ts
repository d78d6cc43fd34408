import { describe, expect, it } from 'vitest';
import { decodeTag } from '../../../src/load/stores/influx/line-protocol.ts';
import { resolveInfluxOptions } from '../../../src/load/stores/influx/options.ts';
import { openInfluxHttp } from '../../../src/load/stores/influx/query-client.ts';
import type { SimulatorDialect } from '../../../src/simulator/simulator-dialect.ts';
import type { SimulatorOptions } from '../../../src/simulator/simulator-options.ts';
import { listAlarmGaps } from '../../../src/sync/alarms/alarm-status.ts';
import { deliverEvents } from '../../../src/sync/alarms/deliver-events.ts';
import { fillAlarms } from '../../../src/sync/alarms/fill-alarms.ts';
import { pollAlarms } from '../../../src/sync/alarms/poll-alarms.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';
import { expectAlarms } from '../../support/truth/alarms-truth.ts';

const nowMs = Date.UTC(2026, 2, 1, 12);
const increment = { mode: 'increment', again: 'lookback' } as const;
/** A plant without alarms, except for those that a test raises. */
const silent = { size: { objects: 3, persons: 0, alarmSources: 0 } } as const;
const pump = { sourceObjName: 'pump1', sourcePropName: 'temp', showName: 'hot' };

const openPlant = (options: SimulatorOptions, more: object = {}) =>
  openSimulatedPlant(options, ({ influx }) => ({ influx, ...more }));

/** Reads all points of `alarm_events`, as [transition, object, time]. */
async function readPoints({ databases }: SimulatedPlant): Promise<unknown[][]> {
  const http = openInfluxHttp(resolveInfluxOptions(databases.sections.influx));
  try {
    const [table] = await http.query('SELECT "transition", "object", "started_at" FROM "alarm_events"');
    return (table?.rows ?? []).map(([at, transition, object]) => [transition, decodeTag(String(object)), at]);
  } finally {
    await http.close();
  }
}

const readEvents = ({ databases }: SimulatedPlant) =>
  databases.rows(
    'select transition, object, at from plant.alarm_events order by at, transition, object, started_at',
  );

const sortPoints = (points: unknown[]) => points.map((point) => JSON.stringify(point)).sort();

const variants: [string, Partial<SimulatorDialect>, object][] = [
  ['as it is known', {}, {}],
  ['with totals that promise too much', { total: 'high' }, {}],
  ['that repeats its last page and states no total', { total: 'absent', pastEnd: 'last-page' }, {}],
  ['with small pages', { maxPageSize: 30, pagination: 'absent' }, {}],
  [
    'that takes and sends local times',
    { alarmQueryTimes: 'zoneless', alarmTimes: 'zoneless' },
    { alarmTimes: 'local' },
  ],
];

describe('alarms', () => {
  it.each(variants)(
    'are all in the table, in their state, from a platform %s',
    async (_, dialect, spoken) => {
      const simulated = {
        size: { objects: 2, alarmSources: 2 },
        awkward: true,
        dialect,
        nowMs: () => nowMs,
      };
      const platform = { timezone: 'Asia/Shanghai', dialect: spoken };
      const plant = await openPlant(simulated, { platform });
      expect(await pollAlarms(plant.ctx)).toMatchObject({ status: 'done' });
      expect(await fillAlarms(plant.ctx, increment)).toMatchObject({ status: 'done', problems: [] });
      expect(await expectAlarms(plant)).toBeGreaterThan(100);
      // The newest seconds come and go with the measured difference of the clocks.
      const wanted = { from: (nowMs - 29 * 86_400_000) * 1000, to: (nowMs - 60_000) * 1000 };
      expect(await listAlarmGaps(plant.ctx, wanted)).toEqual([]);
      const again = await fillAlarms(plant.ctx, increment);
      expect(again).toMatchObject({ status: 'done', inserted: 0, updated: 0 });
    },
  );

  it('leave one point and one row for each transition, also in an InfluxDB that comes later', async () => {
    const plant = await openPlant({
      size: { objects: 8, alarmSources: 8 },
      awkward: true,
      nowMs: () => nowMs,
    });
    await fillAlarms(plant.ctx, increment);
    await pollAlarms(plant.ctx);
    const events = await readEvents(plant);
    expect(events.length).toBeGreaterThan(100);
    // The events that wait are lost, as if InfluxDB had not been configured.
    await plant.databases.db.query('delete from plantsync.outbox');
    expect(await deliverEvents(plant.ctx)).toMatchObject({
      status: 'done',
      points: { influx: events.length },
    });
    expect(await deliverEvents(plant.ctx)).toMatchObject({ points: {} });
    expect(sortPoints(await readPoints(plant))).toEqual(sortPoints(events));
  });

  it('of one name and time are points of their own', async () => {
    const plant = await openPlant({ ...silent, nowMs: () => nowMs });
    const ids = [1, 2, 3].map((second) =>
      plant.simulator.raiseAlarm({ ...pump, raisedMs: nowMs - second * 1000 }),
    );
    for (const id of ids) plant.simulator.acknowledgeAlarm(id, 'lina', nowMs - 500);
    await pollAlarms(plant.ctx);
    await deliverEvents(plant.ctx);
    const at = (nowMs - 500) * 1000;
    const points = (await readPoints(plant)).filter(([transition]) => transition === 'acknowledged');
    expect(points).toEqual([1, 2, 3].map(() => ['acknowledged', 'pump1', at]));
  });

  it('that differ in their property only are two, and one of them is acknowledged', async () => {
    let now = nowMs;
    const plant = await openPlant({ ...silent, nowMs: () => now });
    const id = plant.simulator.raiseAlarm(pump);
    plant.simulator.raiseAlarm({ ...pump, sourcePropName: 'flow', value: '12,5' });
    await pollAlarms(plant.ctx);
    now += 60_000;
    plant.simulator.acknowledgeAlarm(id, 'lina');
    expect(await pollAlarms(plant.ctx)).toMatchObject({ updated: 1, unchanged: 1 });
    expect(
      await plant.databases.rows(
        'select property, is_acknowledged, ack_status, value from plant.alarms order by property',
      ),
    ).toEqual([
      ['flow', false, '0', '12,5'],
      ['temp', true, '1', '1'],
    ]);
  });

  it('are cleared by two polls, or by one and the history, which brings none back', async () => {
    let now = nowMs;
    const plant = await openPlant({ ...silent, nowMs: () => now });
    const [one, other] = ['pump1', 'pump2'].map((sourceObjName) =>
      plant.simulator.raiseAlarm({ ...pump, sourceObjName }),
    );
    await pollAlarms(plant.ctx);
    now += 60_000;
    plant.simulator.clearAlarm(one ?? 0);
    await pollAlarms(plant.ctx);
    const active = () =>
      plant.databases.rows('select object from plant.alarms where is_active order by object');
    expect(await active()).toEqual(['pump1', 'pump2']);
    await fillAlarms(plant.ctx, increment);
    expect(await active()).toEqual(['pump2']);
    plant.simulator.clearAlarm(other ?? 0);
    await pollAlarms(plant.ctx);
    await pollAlarms(plant.ctx);
    expect(await active()).toEqual([]);
    expect(
      await plant.databases.rows(
        'select count(*)::int from plant.alarms where cleared_after < cleared_before',
      ),
    ).toEqual([2]);
    expect((await readEvents(plant)).map((event) => (event as unknown[])[0])).toEqual([
      'raised',
      'raised',
      'cleared',
      'cleared',
    ]);
  });

  it('that appear late at the second of the newest one are found', async () => {
    const plant = await openPlant(silent);
    const raisedMs = Math.floor(Date.now() / 1000) * 1000 - 60_000;
    const raise = (sourceObjName: string) => plant.simulator.raiseAlarm({ ...pump, sourceObjName, raisedMs });
    raise('pump1');
    await fillAlarms(plant.ctx, increment);
    raise('pump2');
    await fillAlarms(plant.ctx, { mode: 'increment', again: 'none' });
    expect(await plant.databases.count('alarms')).toBe(1);
    await fillAlarms(plant.ctx, increment);
    expect(await plant.databases.rows('select object, twins from plant.alarms order by object')).toEqual([
      ['pump1', 1],
      ['pump2', 1],
    ]);
  });

  it('that wait to be acknowledged are looked up where they began, and not all that lies between', async () => {
    const plant = await openPlant({ ...silent, nowMs: () => nowMs });
    const day = 86_400_000;
    const id = plant.simulator.raiseAlarm({
      ...pump,
      raisedMs: nowMs - 20 * day,
      clearedMs: nowMs - 19 * day,
    });
    await fillAlarms(plant.ctx, increment);
    plant.simulator.acknowledgeAlarm(id, 'lina', nowMs - 1000);
    plant.simulator.resetRequests();
    await fillAlarms(plant.ctx, increment);
    expect(plant.simulator.requests().byOperation.listAlarmHistory).toBe(2);
    expect(await plant.databases.rows('select is_acknowledged, acknowledged_by from plant.alarms')).toEqual([
      [true, 'lina'],
    ]);
  });

  it('under a filter are only those that it lets through, and what it hides stays as it was', async () => {
    const filter = { priority: [2, 3] };
    const plant = await openPlant({ ...silent, nowMs: () => nowMs }, { alarms: { filter } });
    const ids = [1, 2, 3].map((priority) =>
      plant.simulator.raiseAlarm({ ...pump, sourceObjName: `pump${priority}`, priority }),
    );
    await pollAlarms(plant.ctx);
    await fillAlarms(plant.ctx, increment);
    for (const id of ids) plant.simulator.clearAlarm(id);
    const whole = {
      ...plant.ctx,
      config: { ...plant.ctx.config, alarms: { ...plant.ctx.config.alarms, filter: {} } },
    };
    plant.simulator.raiseAlarm({ ...pump, sourceObjName: 'pump4', priority: 4 });
    await pollAlarms(whole);
    plant.simulator.clearAlarm(ids[0] ?? 0);
    await pollAlarms(plant.ctx);
    await pollAlarms(plant.ctx);
    expect(await plant.databases.rows('select object, is_active from plant.alarms order by object')).toEqual([
      ['pump2', false],
      ['pump3', false],
      ['pump4', true],
    ]);
  });

  it('that fail to come leave everything as it is', async () => {
    const plant = await openPlant({ ...silent, nowMs: () => nowMs }, { platform: { retries: 0 } });
    plant.simulator.raiseAlarm(pump);
    await pollAlarms(plant.ctx);
    const before = await plant.databases.rows('select to_jsonb(a) from plant.alarms as a');
    for (const kind of ['status', 'json-garbage'] as const) {
      plant.simulator.setFaults([{ kind, operation: '*' }]);
      expect(await pollAlarms(plant.ctx)).toMatchObject({ status: 'failed' });
      expect(await fillAlarms(plant.ctx, increment)).toMatchObject({ status: 'failed' });
    }
    expect(await plant.databases.rows('select to_jsonb(a) from plant.alarms as a')).toEqual(before);
    plant.simulator.setFaults([]);
    expect(await listAlarmGaps(plant.ctx)).toHaveLength(1);
  });
});
