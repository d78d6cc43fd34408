import { expect } from 'vitest';
import type { Simulator } from '../../../src/simulator/simulator-options.ts';
import type { DatabaseReader } from '../plant-databases.ts';

interface ExpectedAlarm {
  twins: number;
  active: boolean;
  acknowledged: boolean;
}

/**
 * Expects that the table has every alarm of the last 30 days once, in its present state, and no other alarm.
 * Resolves to the number of alarms.
 */
export async function expectAlarms({
  simulator,
  databases,
}: {
  simulator: Simulator;
  databases: DatabaseReader;
}): Promise<number> {
  const expected = new Map<string, ExpectedAlarm>();
  for (const record of simulator.truth.records('listAlarmHistory')) {
    const { sourceObjName, sourcePropName, showName, alarmType, startTime } = record;
    const key = JSON.stringify([
      sourceObjName,
      sourcePropName,
      showName,
      alarmType,
      Date.parse(String(startTime)) * 1000,
    ]);
    const known = expected.get(key) ?? { twins: 0, active: false, acknowledged: true };
    expected.set(key, {
      twins: known.twins + 1,
      active: known.active || record.status === '1',
      acknowledged: known.acknowledged && record.ackStatus === '1',
    });
  }
  const rows = await databases.rows(
    `select object, property, show_name, alarm_type, started_at, twins, is_active, is_acknowledged from plant.alarms`,
  );
  const stored = new Map(
    (rows as unknown[][]).map((row) => [
      JSON.stringify(row.slice(0, 5)),
      { twins: row[5], active: row[6], acknowledged: row[7] },
    ]),
  );
  expect(Object.fromEntries([...stored].sort())).toEqual(Object.fromEntries([...expected].sort()));
  return expected.size;
}
