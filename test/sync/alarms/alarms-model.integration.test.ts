import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLedger } from '../../../src/ledger/ledger.ts';
import { ensureAlarmTables } from '../../../src/load/alarms/alarm-tables.ts';
import { changeAlarms } from '../../../src/load/alarms/change-alarms.ts';
import { toSeenAlarm } from '../../../src/normalize/alarm-twins.ts';
import { applyHistory } from '../../../src/normalize/apply-alarm-history.ts';
import { applyPoll, type PollScope } from '../../../src/normalize/apply-alarm-poll.ts';
import { createRecordNormalizer } from '../../../src/normalize/records.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { defaultSchemas } from '../../../src/postgres/schemas.ts';
import { createInstantParser } from '../../../src/series/instant.ts';
import type { AlarmRow } from '../../../src/streams/alarm-row.ts';
import { alarms as alarmStream } from '../../../src/streams/alarms.ts';
import { openLedgerDatabase } from '../../load/test-data.ts';
import {
  isCurrent,
  MODEL_START_MS,
  type ModelAlarm,
  type ModelStep,
  modelAlarm,
  modelStep,
  recordOf,
} from '../../support/models/alarm-model.ts';

const normalize = createRecordNormalizer(alarmStream, { parseInstant: createInstantParser({}) });
const seenOf = (record: unknown) => {
  const normalized = normalize(record);
  return 'row' in normalized ? [toSeenAlarm(normalized.row)] : [];
};
const microsOf = (second: number) => (MODEL_START_MS + second * 1000) * 1000;
const scopeOf = (priorities: readonly number[] | undefined): PollScope => ({
  filter: priorities === undefined ? null : JSON.stringify({ priority: priorities }),
  priorities,
  hasKeyword: false,
});

/** Lists the records that the model platform shows at some second. */
const listAt = (plant: readonly ModelAlarm[], at: number, asText: boolean) =>
  plant.flatMap((alarm, name) =>
    Array.from({ length: alarm.twins }, () => ({ alarm, record: recordOf(alarm, name, { at, asText }) })),
  );

class Killed extends Error {}

/**
 * Takes one step as a run does. A process that is killed has done all its work but the commit. Returns the
 * alarms that a poll has shown for good.
 */
async function take(
  db: Database,
  plant: readonly ModelAlarm[],
  { step, at }: { step: ModelStep; at: number },
) {
  if (step.kind === 'lost') return [];
  const { alarmPolls } = createLedger(db, defaultSchemas);
  const scope = scopeOf(step.priority);
  const ofHistory = step.kind.startsWith('history');
  const shown = listAt(plant, at, ofHistory)
    .filter(({ alarm }) => (ofHistory ? alarm.raised <= at : isCurrent(alarm, at)))
    .filter(({ alarm }) => step.priority === undefined || step.priority.includes(alarm.priority));
  const records: unknown[] = shown.map(({ record }) => record);
  const seen = (step.kind === 'garbled' ? records.slice(1) : records).flatMap(seenOf);
  const times = { beganAt: microsOf(at), endedAt: microsOf(at) + 500_000 };
  const complete = step.kind !== 'garbled';
  const change = changeAlarms(db, defaultSchemas, {
    keys: seen,
    openToo: !ofHistory,
    decide: async (known, tx) => {
      if (ofHistory) return applyHistory({ seen, endedAt: times.endedAt, polled: scopeOf(undefined) }, known);
      const last = await alarmPolls.readLast(tx);
      const lastPolls = new Map([...last].map(([filter, { beganAt }]) => [filter, beganAt]));
      return applyPoll({ seen, complete, ...times, scope, lastPolls, maxClearShare: 1 }, known);
    },
    commit: async (tx) => {
      if (!ofHistory && complete) await alarmPolls.note(scope.filter, times, tx);
      if (step.kind.endsWith('killed')) throw new Killed();
    },
  });
  await change.catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error;
  });
  return ofHistory || step.kind === 'killed' ? [] : seen;
}

/** Checks what must be true of an alarm after all steps, whatever was lost on the way. */
function checkRow(row: AlarmRow, alarm: ModelAlarm, end: number): void {
  expect(row.twins).toBeLessThanOrEqual(alarm.twins);
  const clearedAt = alarm.cleared === undefined ? Number.POSITIVE_INFINITY : microsOf(alarm.cleared);
  if (row.is_active === false) expect(clearedAt).toBeLessThanOrEqual(microsOf(end) + 500_000);
  if (row.cleared_after !== null) expect(row.cleared_after).toBeLessThanOrEqual(clearedAt);
  if (row.cleared_before !== null) expect(row.cleared_before).toBeGreaterThanOrEqual(clearedAt);
  if (row.is_acknowledged) expect(row.acknowledged_at).toBe(microsOf(alarm.acknowledged ?? -1));
}

/**
 * Steps at the end. After two polls and a history nothing is left to be found out, and the table equals the
 * plant.
 */
const ending: ModelStep[] = ['poll', 'poll', 'history'].map((kind) => ({
  kind: kind as ModelStep['kind'],
  priority: undefined,
  after: 2,
}));

test('alarms end as the plant has them, whatever polls are lost, filtered, garbled or killed, each transition once', async () => {
  const { db, close } = await openLedgerDatabase();
  try {
    await ensureAlarmTables(db, 'plant');
    const plants = fc.array(modelAlarm, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(plants, fc.array(modelStep, { maxLength: 12 }), async (plant, steps) => {
        await db.query('truncate plant.alarms, plant.alarm_events, plantsync.alarm_polls');
        let at = 0;
        const lastShown = new Map<string, number>();
        for (const step of [...steps, ...ending]) {
          at += step.after;
          for (const { object } of await take(db, plant, { step, at })) lastShown.set(object, microsOf(at));
        }
        const { rows } = await db.query<AlarmRow>('select * from plant.alarms');
        const known = new Map(rows.map((row) => [row.object, row]));
        const raised = plant.flatMap((alarm, name) =>
          alarm.raised <= at ? [{ alarm, name: `pump${name}` }] : [],
        );
        expect([...known.keys()].sort()).toEqual(raised.map(({ name }) => name).sort());
        for (const { alarm, name } of raised) {
          const row = known.get(name) as AlarmRow;
          checkRow(row, alarm, at);
          if (row.cleared_before !== null) expect(row.cleared_after).toBe(lastShown.get(name) ?? null);
          expect(row).toMatchObject({
            twins: alarm.twins,
            // A poll of the ending may come before the alarm cleared. Only one of the polls has missed the
            // alarm then.
            is_acknowledged: alarm.acknowledged !== undefined && alarm.acknowledged <= at,
            ...(alarm.cleared === undefined || alarm.cleared > at ? { is_active: true } : {}),
            ...(alarm.cleared !== undefined && alarm.cleared <= at - 2 ? { is_active: false } : {}),
          });
        }
        const events = await db.query(
          'select object, transition, count(*)::int as times from plant.alarm_events group by 1, 2',
        );
        for (const { times } of events.rows) expect(times).toBe(1);
        const count = (transition: string) =>
          events.rows.filter((row) => row.transition === transition).length;
        expect(count('raised')).toBe(raised.length);
        expect(count('acknowledged')).toBe(rows.filter((row) => row.is_acknowledged).length);
        // An alarm that was over before any poll was never seen to clear.
        expect(count('cleared')).toBeLessThanOrEqual(rows.filter((row) => !row.is_active).length);
      }),
      { numRuns: 40 },
    );
  } finally {
    await close();
  }
});
