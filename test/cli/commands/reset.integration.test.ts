import { expect, it } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';
import { makeStubPlant, smallPlant } from '../../support/stub/stub-plant.ts';

const PROPERTIES = '/openapi/objects/v1/pump1/properties';
const HISTORY = '/openapi/objects/v1/properties/history';

it('a reset makes the next run read everything again, says so, and leaves the data as it is', async () => {
  const endMs = Math.floor(Date.now() / 60_000) * 60_000 - 30 * 60_000;
  const points = Array.from(
    { length: 60 },
    (_, k) => [new Date(endMs - k * 60_000).toISOString(), k] as const,
  );
  const plant = await makeStubPlant(smallPlant(points), ({ postgres }) => ({
    postgres,
    runtime: [
      { objects: 'pump1', properties: 'temp', current: false, history: { start: '5h', lookback: '1m' } },
    ],
  }));
  const { folder, stub, databases } = plant;
  const names = ['objects', 'object_properties', 'history'];
  expect((await runCommand(folder, ['sync', ...names])).code).toBe(0);
  const stored = await databases.rows('select * from plant.samples order by at');
  expect(stored).toHaveLength(60);
  await databases.db.query("insert into plantsync.scans (stream) values ('object_properties')");

  const { code, stdout } = await runCommand(folder, ['reset', 'object_properties', 'history', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).reset).toMatchObject([
    {
      name: 'object_properties',
      forgotten: { 'unfinished scans': 1, 'reads by objects': 2 },
      next: expect.stringMatching(/reads the lists of all rows of objects/),
    },
    {
      name: 'history',
      forgotten: { 'series and store, covered': 1, 'learnt sizes': 1 },
      next: expect.stringMatching(/reads all history since history\.start again/),
    },
  ]);
  expect(await databases.rows('select * from plant.samples order by at')).toEqual(stored);
  expect(await databases.count('object_properties')).toBe(1);

  const since = stub.journal.length;
  expect((await runCommand(folder, ['sync', ...names])).code).toBe(0);
  const asked = stub.journal.slice(since).filter(({ path }) => path === PROPERTIES || path === HISTORY);
  expect(asked.some(({ path }) => path === PROPERTIES)).toBe(true);
  const earliest = asked
    .filter(({ path }) => path === HISTORY)
    .map(({ text }) => Date.parse(/"ge":"([^"]+)"/.exec(text)?.[1] ?? ''));
  expect(Math.min(...earliest)).toBeLessThan(endMs - 60 * 60_000);
  expect(await databases.rows('select * from plant.samples order by at')).toEqual(stored);
});

it('a reset names what it cannot forget, and forgets nothing', async () => {
  const { folder, databases } = await makeStubPlant(smallPlant());
  await runCommand(folder, ['migrate']);
  await databases.db.query(
    `insert into plantsync.coverage (store, stream, series_id, covered) values ('a store', 'history', 1, '{}'), ('other', 'history', 1, '{}')`,
  );
  for (const [args, message] of [
    [[], /Name the streams to reset/],
    [['person', 'history'], /person: did you mean persons\?/],
    [['current'], /current: every poll stands alone/],
    [['persons', '--store', 'a store'], /--store a store: goes with history/],
    [['history', '--store', 'no store'], /no such store; known are a store, other/],
  ] as const) {
    const { code, stderr } = await runCommand(folder, ['reset', ...args]);
    expect({ args, code, stderr }).toEqual({ args, code: 2, stderr: expect.stringMatching(message) });
  }
  expect(await databases.rows('select count(*) from plantsync.coverage')).toEqual([2]);
  const one = await runCommand(folder, ['reset', 'history', '--store', 'a store']);
  expect(one.stdout).toMatch(/^history: forgot 1 series and store, covered; .*for a store/);
  expect(await databases.rows('select store from plantsync.coverage')).toEqual(['other']);
  const platform = await runCommand(folder, ['reset', '--platform']);
  expect(platform).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/forgot nothing.*trust the totals/),
  });
});
