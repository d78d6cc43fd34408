import { describe, expect, it } from 'vitest';
import { makeStubPlant, onlyHistoryOf } from '../../support/stub/stub-plant.ts';

const HISTORY = '/openapi/objects/v1/properties/history';

/** Makes a point in the middle of every hour of the days around now. */
function hourlyPoints(): [time: string, value: number][] {
  const hour = Math.floor(Date.now() / 3_600_000);
  return Array.from({ length: 72 }, (_, k) => {
    const at = (hour - 48 + k) * 3_600_000 + 1_800_000;
    return [new Date(at).toISOString(), k];
  });
}

const makePlant = (history = hourlyPoints()) =>
  makeStubPlant({ history: { 'pump1.temp': history } }, ({ postgres }) => ({
    postgres,
    ...onlyHistoryOf(['pump1.temp']),
  }));

/** Reads the printed range of the backfill, in epoch milliseconds. */
function readRange(stderr: string): { from: number; to: number } {
  const [, from = '', to = ''] = /backfill of (\S+) … (\S+)/.exec(stderr) ?? [];
  return { from: Date.parse(from), to: Date.parse(to) };
}

describe('the range of a backfill', () => {
  it('that is empty is refused before any request, naming both options', async () => {
    const { run, stub } = await makePlant();
    const { code, stderr } = await run(['backfill', '--from', '2024-05-01', '--to', '2024-05-01']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--from 2024-05-01.*--to 2024-05-01/);
    expect(stub.journal).toEqual([]);
  });

  it.each([
    ['UTC', undefined, '2024-05-01T00:00:00Z'],
    ['the zone given', 'Asia/Shanghai', '2024-04-30T16:00:00Z'],
  ])('takes a date for midnight in %s, and shows it', async (_, zone, start) => {
    const at = Date.parse(start);
    const { run, databases } = await makePlant([
      [new Date(at - 1_000).toISOString(), 1],
      [new Date(at).toISOString(), 2],
      [new Date(at + 86_399_000).toISOString(), 3],
      [new Date(at + 86_400_000).toISOString(), 4],
    ]);
    const range = ['--from', '2024-05-01', '--to', '2024-05-02'];
    const { code, stderr } = await run([
      'backfill',
      ...range,
      ...(zone === undefined ? [] : ['--timezone', zone]),
    ]);
    expect(code).toBe(0);
    expect(readRange(stderr)).toEqual({ from: at, to: at + 86_400_000 });
    if (zone !== undefined) expect(stderr).toContain(`2024-05-01T00:00:00+08:00`);
    expect(stderr).toContain(zone ?? start);
    expect(await databases.rows('select value from plant.samples order by 1')).toEqual([2, 3]);
  });

  it.each([
    ['is missing', []],
    ['lies in the future', ['--to', '2999-01-01']],
  ])('ends now where its end %s; that is shown, and nothing later is stored', async (_, to) => {
    const { run, stub, databases } = await makePlant();
    const before = Date.now();
    const { code, stderr } = await run(['backfill', '--from', '-1d', ...to]);
    expect(code).toBe(0);
    const shown = readRange(stderr);
    expect(shown.to).toBeGreaterThanOrEqual(before);
    expect(shown.to).toBeLessThanOrEqual(Date.now());
    const [stored, newest, covered] =
      (
        (await databases.rows(
          `select (select count(*) from plant.samples) as stored, (select max(at) from plant.samples) as newest,
             (select max(upper(covered)) from plantsync.coverage) as covered`,
        )) as number[][]
      )[0] ?? [];
    expect(stored).toBeGreaterThanOrEqual(23);
    for (const micros of [newest, covered]) expect(micros).toBeLessThanOrEqual(shown.to * 1000);
    for (const { text } of stub.requestsTo(HISTORY)) expect(text).not.toContain('2999');
  });
});
