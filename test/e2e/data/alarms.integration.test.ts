import { describe, expect, it } from 'vitest';
import { killAfter } from '../../support/program/interrupt.ts';
import { runCommand } from '../../support/program/run-command.ts';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { onlyStreams } from '../../support/stream-switches.ts';
import { makeStubPlant } from '../../support/stub/stub-plant.ts';
import { expectAlarms } from '../../support/truth/alarms-truth.ts';

const CURRENT = '/openapi/alarms/v1/current';
const HISTORY = '/openapi/alarms/v1/history';
const onlyAlarms = { streams: onlyStreams(), runtime: [] };

describe('alarms', () => {
  it('are all stored once, with each transition once, by a sync that was killed again and again', async () => {
    const nowMs = Date.UTC(2026, 2, 1, 12);
    const simulator = await openSimulator({
      size: { objects: 6, alarmSources: 6 },
      awkward: true,
      nowMs: () => nowMs,
      faults: [{ kind: 'latency', operation: 'listAlarmHistory', delayMs: 60 }],
    });
    const project = await makeSimulatedProject(simulator, ({ postgres, influx }) => ({
      postgres,
      influx,
      ...onlyAlarms,
    }));
    for (const [after, laterMs] of [
      [3, 0],
      [4, 40],
      [6, 90],
      [9, 10],
      [12, 70],
    ] as const) {
      const killed = await killAfter(project, { args: ['sync', 'alarms'], after, laterMs });
      expect(killed.code, killed.output).toBeNull();
    }
    const { code, output } = await project.run(['sync', 'alarms']);
    expect(code, output).toBe(0);
    expect(await expectAlarms(project)).toBeGreaterThan(100);
    const { databases } = project;
    const count = (what: string) => databases.rows(`select count(*)::int from plant.${what}`);
    expect(await count("alarm_events where transition = 'raised'")).toEqual(await count('alarms'));
    expect(await count("alarm_events where transition = 'acknowledged'")).toEqual(
      await count('alarms where acknowledged_at is not null'),
    );
    expect(await databases.rows('select count(*)::int from plantsync.outbox')).toEqual([0]);
  });

  it('keep instants, texts and codes as they came, whatever their form, and an unusable entry as a reject', async () => {
    const alarm = { sourceObjName: 'pump1', sourcePropName: 'temp', showName: 'hot', alarmType: 'GT' };
    const lists = {
      [CURRENT]: [
        {
          ...alarm,
          startTime: '2024-07-01T08:00:00',
          ackTime: '2024-07-01 08:05:00',
          value: '12,5',
          ackStatus: 0,
          status: 1,
        },
        { sourceObjName: 'pump2', startTime: '2024-07-01T09:00:00.123456Z', colour: 'red' },
        { ...alarm, startTime: 'never' },
        { startTime: '2024-07-01T10:00:00Z' },
      ] as object[],
      [HISTORY]: [
        {
          ...alarm,
          startTime: '2024-07-01T16:00:00+08:00',
          ackTime: '2024-07-01T08:00:00Z',
          ackStatus: '1',
          status: '0',
          priority: 5,
        },
      ] as object[],
    };
    const plant = await makeStubPlant({ lists }, ({ postgres }) => ({ postgres, ...onlyAlarms }));
    plant.configure({
      ...plant.config,
      platform: { ...(plant.config as { platform: object }).platform, timezone: 'UTC' },
    });
    const sync = () => runCommand(plant.folder, ['sync', 'alarms', '--json']);
    expect((await sync()).code).toBe(3);
    expect(
      await plant.databases.rows(
        `select object, started_at, acknowledged_at, value, status, ack_status, priority, is_acknowledged, extra from plant.alarms order by started_at`,
      ),
    ).toEqual([
      [
        'pump1',
        Date.UTC(2024, 6, 1, 8) * 1000,
        Date.UTC(2024, 6, 1, 8) * 1000,
        '12,5',
        '0',
        '1',
        5,
        true,
        null,
      ],
      [
        'pump2',
        Date.UTC(2024, 6, 1, 9) * 1000 + 123_456,
        null,
        null,
        null,
        null,
        null,
        null,
        { colour: 'red' },
      ],
    ]);
    const status = JSON.parse((await runCommand(plant.folder, ['status', '--json'])).stdout);
    expect(status).toMatchObject({ alarms: { total: 2 }, rejects: { alarms: 2 } });
    expect(status.drift).toMatchObject([{ stream: 'alarms', member: 'colour', kind: 'new' }]);
    lists[CURRENT]?.splice(2);
    expect((await runCommand(plant.folder, ['rejects', 'replay', '--stream', 'alarms'])).code).toBe(0);
    expect((await sync()).code).toBe(0);
  });

  it('are read around a second that the platform cannot give, which gaps shows until it can', async () => {
    const badMs = Math.floor(Date.now() / 1000) * 1000 - 3 * 3_600_000;
    const alarms = [-7_200_000, 0, 7_200_000].map((ms) => ({
      sourceObjName: 'pump1',
      startTime: new Date(badMs + ms + 500).toISOString(),
      status: '0',
    }));
    let isBad = true;
    const plant = await makeStubPlant(
      {
        answer: ({ path, query }) => {
          if (path !== HISTORY) return undefined;
          const [from, to] = [query.get('startTime'), query.get('endTime')].map((text) =>
            Date.parse(text ?? ''),
          );
          const list = alarms.filter(
            ({ startTime }) =>
              Date.parse(startTime) >= (from ?? 0) + 1000 && Date.parse(startTime) <= (to ?? 0),
          );
          // Each window is read with a margin of a second before it, which must not fail.
          if (isBad && (from ?? 0) + 1000 <= badMs && (to ?? 0) > badMs)
            return { status: 500, body: { message: 'broken' } };
          return { body: { list, pagination: { pageIndex: 1, pageSize: 100, total: list.length } } };
        },
      },
      ({ postgres }) => ({
        postgres,
        ...onlyAlarms,
        platform: undefined,
        alarms: { history: { start: '6h' } },
      }),
    );
    const access = { baseUrl: plant.stub.baseUrl, appId: 'app', secret: 'key-of-the-stub', retries: 0 };
    plant.configure({ ...plant.config, platform: access });
    const { code, stdout } = await runCommand(plant.folder, ['sync', 'alarms']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringMatching(/cannot be read/) });
    expect(await plant.databases.count('alarms')).toBe(2);
    const gaps = await runCommand(plant.folder, ['gaps', '--json']);
    expect(JSON.parse(gaps.stdout).gaps).toMatchObject([
      { series: 'alarms', ranges: [{ from: new Date(badMs).toISOString().replace('.000', '') }] },
    ]);
    isBad = false;
    expect((await runCommand(plant.folder, ['sync', 'alarms'])).code).toBe(0);
    expect(await plant.databases.count('alarms')).toBe(3);
    expect(JSON.parse((await runCommand(plant.folder, ['gaps', '--json'])).stdout).gaps).toEqual([]);
    expect((await runCommand(plant.folder, ['reset', 'alarms'])).stdout).toMatch(
      /alarms: forgot 1 stretches of history/,
    );
    const from = new Date(badMs - 1000).toISOString();
    const again = await runCommand(plant.folder, ['backfill', '--alarms', '--from', from, '--dry-run']);
    expect(again.stdout).toMatch(/hours? of alarms to read/);
    const filled = await runCommand(plant.folder, ['backfill', '--alarms', '--from', from, '--json']);
    expect(JSON.parse(filled.stdout).streams).toMatchObject([
      { stream: 'alarms', status: 'done', unchanged: 2 },
    ]);
  });
});
