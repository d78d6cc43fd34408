import { describe, expect, it } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { onlyStreams } from '../../support/stream-switches.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Makes a point an hour for 40 days, and a point a minute in the last four hours. No point is near the
 * beginning of the last 30 days.
 */
function pointsUntil(nowMs: number): [timeMs: number, value: number][] {
  const hours = Array.from({ length: 40 * 24 - 5 }, (_, k) => 40 * 24 - k);
  const minutes = Array.from({ length: 240 }, (_, k) => 240 - k);
  return [
    ...hours.map((k): [number, number] => [nowMs - k * HOUR_MS + HOUR_MS / 2, k]),
    ...minutes.map((k): [number, number] => [nowMs - k * MINUTE_MS, k]),
  ];
}

async function openPump(dialect: object) {
  const nowMs = Date.now();
  const simulator = await openSimulator({ size: { objects: 0, persons: 0 }, dialect });
  const points = pointsUntil(nowMs);
  simulator.addObject({ name: 'pump', properties: [{ name: 'temp', points }] });
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
    postgres,
    streams: onlyStreams(),
    runtime: [{ objects: 'pump', properties: 'temp', current: false, history: { start: '30d' } }],
  }));
  const wanted = points.filter(([timeMs]) => timeMs >= nowMs - 30 * 24 * HOUR_MS);
  return {
    simulator,
    run: (...args: string[]) => runCommand(project.folder, args),
    requests: () => simulator.requests().byOperation.readHistory ?? 0,
    stored: () => project.databases.rows('select at from plant.samples order by at'),
    wanted: wanted.map(([timeMs]) => timeMs * 1000),
  };
}

describe('history of a platform that ignores bounds', () => {
  it.each([
    ['ge', 'ge'],
    ['lt', 'lt'],
    ['both', 'ge and lt'],
  ])('(%s), and offset, ends early with its name, and is read once it is mended', async (ignored, named) => {
    const pump = await openPump({ ignoreBounds: ignored, ignoreOffset: true });
    const early = await pump.run('sync', 'history');
    expect(early.code, early.stdout).toBe(3);
    expect(early.stdout).toContain(`the platform ignores ${named}: asked for pump.temp from `);
    expect(early.stdout).not.toContain('one second');
    expect(pump.requests()).toBeLessThan(120);
    expect(pump.wanted).toEqual(expect.arrayContaining(await pump.stored()));
    expect(await pump.run('gaps')).toMatchObject({ code: 3 });

    pump.simulator.setDialect({ ignoreBounds: 'none' });
    expect(await pump.run('sync', 'history')).toMatchObject({ code: 0 });
    expect(await pump.stored()).toEqual(pump.wanted);
  });

  it.each(['ge', 'lt', 'both'])('(%s) is read all the same where `offset` works', async (ignored) => {
    const pump = await openPump({ ignoreBounds: ignored, hiddenCap: 200 });
    const { code, stdout } = await pump.run('sync', 'history');
    expect(code, stdout).toBe(0);
    expect(await pump.stored()).toEqual(pump.wanted);
    expect(pump.requests()).toBeLessThan(250);
  });
});

it('history whose times are hours off the requested ones is refused, with the setting that mends it', async () => {
  const pump = await openPump({ historyTimes: 'local-as-utc', zone: 'Asia/Shanghai' });
  const { code, stdout } = await pump.run('sync', 'history');
  expect(code, stdout).toBe(3);
  expect(stdout).toContain('platform.dialect.zoneOverride');
  expect(await pump.stored()).toEqual([]);
});
