import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSession, type Session } from './session.ts';

const startMs = Date.UTC(2024, 4, 1);
let nowMs = startMs;
let session: Session;
beforeEach(async () => {
  nowMs = startMs;
  session = await openSession({ size: { alarmSources: 0 }, nowMs: () => nowMs });
});
afterEach(() => session.simulator.close());

const current = async (query = '') =>
  (await session.json(`/openapi/alarms/v1/current${query}`)).list as Record<string, unknown>[];
const history = async (query = '') =>
  (await session.json(`/openapi/alarms/v1/history${query}`)).list as Record<string, unknown>[];
const source = { sourceObjName: 'pump1', sourcePropName: 'temp', showName: '过热' };

describe('an alarm', () => {
  test('lives: raised, acknowledged, cleared; codes are numbers now and texts in history', async () => {
    const id = session.simulator.raiseAlarm(source);
    expect(await current()).toMatchObject([
      { ...source, ackStatus: 0, status: 1, startTime: '2024-05-01T00:00:00Z' },
    ]);
    nowMs += 60_000;
    session.simulator.acknowledgeAlarm(id, 'ann');
    expect(await current()).toMatchObject([
      { ackStatus: 1, ackUserName: 'ann', ackTime: '2024-05-01T00:01:00Z' },
    ]);
    expect(await history()).toMatchObject([{ ackStatus: '1', status: '1' }]);
    session.simulator.clearAlarm(id);
    expect(await current()).toEqual([]);
    expect(await history()).toMatchObject([{ ackStatus: '1', status: '0' }]);
  });

  test('is found by object or property in the current list, by name or description in history', async () => {
    session.simulator.raiseAlarm({ ...source, priority: 3, description: 'too hot' });
    expect(await current('?keyword=PUMP1&priority=3')).toHaveLength(1);
    expect(await current('?keyword=too')).toHaveLength(0);
    expect(await current('?priority=4')).toHaveLength(0);
    expect(await history('?keyword=too')).toHaveLength(1);
    expect(await history('?keyword=pump1')).toHaveLength(0);
    expect((await session.get('/openapi/alarms/v1/current?priority=11')).status).toBe(400);
  });
});

describe('the range of history', () => {
  const forms = {
    'offset-millis': ['2024-05-01T08:00:00.000%2B08:00', '2024-05-01T07:59:59.999%2B08:00'],
    'utc-seconds': ['2024-05-01T00:00:00Z', '2024-04-30T23:59:59Z'],
    'epoch-ms': ['1714521600000', '1714521599999'],
    zoneless: ['2024-05-01 08:00:00', '2024-05-01 07:59:59'],
  } as const;

  test.each(Object.keys(forms) as (keyof typeof forms)[])(
    'is read in the form %s and no other',
    async (form) => {
      session.simulator.raiseAlarm(source);
      session.simulator.setDialect({ alarmQueryTimes: form });
      const [at, before] = forms[form];
      expect(await history(`?startTime=${at}&endTime=${at}`)).toHaveLength(1);
      expect(await history(`?endTime=${before}`)).toHaveLength(0);
      for (const other of Object.keys(forms) as (keyof typeof forms)[])
        if (other !== form)
          expect((await session.get(`/openapi/alarms/v1/history?startTime=${forms[other][0]}`)).status).toBe(
            400,
          );
    },
  );

  test('an unencoded plus sign is refused', async () => {
    const { status } = await session.get(
      '/openapi/alarms/v1/history?startTime=2024-05-01T08:00:00.000+08:00',
    );
    expect(status).toBe(400);
  });
});

describe('alarms that the plant raises by itself', () => {
  test('are the same for the same time, and those active now are in the history', async () => {
    const plant = await openSession({ size: 'small', nowMs: () => startMs });
    const read = async (name: string) =>
      (await plant.json(`/openapi/alarms/v1/${name}`)).list as Record<string, unknown>[];
    const active = await read('current');
    expect(active.length).toBeGreaterThan(0);
    expect(await read('current')).toEqual(active);
    const past = plant.simulator.truth.records('listAlarmHistory');
    for (const alarm of active)
      expect(past).toContainEqual({ ...alarm, ackStatus: String(alarm.ackStatus), status: '1' });
    await plant.simulator.close();
  });
});
