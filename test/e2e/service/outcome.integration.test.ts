import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../src/sync/run-summary.ts';
import { ROLLUPS } from '../../../src/sync/stream-names.ts';
import { always } from '../../support/stub/answers.ts';
import type { StubAnswer, StubRequest } from '../../support/stub/platform.ts';
import { makeStubPlant, smallPlant } from '../../support/stub/stub-plant.ts';

const PERSONS = '/openapi/persons/v1';

/**
 * Makes a point a minute for four hours, up to a quarter of an hour ago. Some points are in the range that is
 * read again, some are not.
 */
function recentPoints(): [time: string, value: number][] {
  const endMs = Math.floor(Date.now() / 60_000) * 60_000 - 15 * 60_000;
  return Array.from({ length: 240 }, (_, k) => [new Date(endMs - k * 60_000).toISOString(), k]);
}

/** Returns the hour that is not over for rollups: points are read for good 10 s after their time. */
function dueHour(): number {
  return Math.floor((Date.now() - 10_000) / 3_600_000);
}

/** Reads the closing table: the cells of each stream, by the head of their column. */
function readTable(stdout: string): Record<string, Record<string, string>> {
  const lines = (stdout.split('\n\n')[0] ?? '').split('\n');
  const rule = lines.findIndex((line) => line.startsWith('──'));
  const columns = [...(lines[rule] ?? '').matchAll(/─+/g)].map(({ index, 0: { length } }) => {
    const cut = (line = '') => line.slice(index, index + length).trim();
    return { cut, name: cut(lines[rule - 1]) };
  });
  const rows = lines.slice(rule + 1).map((line) => columns.map(({ name, cut }) => [name, cut(line)]));
  return Object.fromEntries(rows.map((cells) => [cells[0]?.[1], Object.fromEntries(cells)]));
}

describe('the exit code', () => {
  it('is 3 where a list fails; the summary has the rows of every list, and names the failed one with the reason', async () => {
    const broken = (request: StubRequest): StubAnswer | undefined =>
      always(PERSONS, { status: 500, body: { message: 'out of order' } })(request);
    const plant = await makeStubPlant({ ...smallPlant(recentPoints()), answer: broken });
    const { code, stdout } = await plant.start(['sync'], { PLANTSYNC_PLATFORM__RETRIES: '1' }).ended;
    expect(code).toBe(3);
    const table = readTable(stdout);
    expect(table).toMatchObject({
      persons: { rows: '0', status: 'failed' },
      objects: { rows: '2', status: 'done' },
      object_properties: { rows: '1', status: 'done' },
      history: { points: '240 postgres', status: 'done' },
      current: { points: '1 postgres', status: 'done' },
    });
    expect(stdout).toMatch(
      /^persons: page 1, per_page 100, includeOrgs true: listPersons .* at 127\.0\.0\.1:\d+ failed.*500: out of order/m,
    );
    const counts = ['objects', 'object_properties', 'samples', 'current_values'].map(plant.databases.count);
    expect(await Promise.all(counts)).toEqual([2, 1, 240, 1]);
    expect(await plant.databases.count('persons')).toBe(0);
  });

  it('is 0 where all is stored, and again where there is nothing new; then no point is new', async () => {
    const { start, databases } = await makeStubPlant(smallPlant(recentPoints()), ({ postgres, influx }) => ({
      postgres,
      influx,
    }));
    const hour = dueHour();
    const first = await start(['sync']).ended;
    expect(first).toMatchObject({ code: 0 });
    expect(readTable(first.stdout).persons).toMatchObject({ records: '3', rows: '3' });
    expect(await databases.count('persons')).toBe(3);
    const stored = await databases.influxPoints('pump1.temp');
    expect(stored.times).toHaveLength(240);

    const again = await start(['sync', 'persons', 'objects', 'object_properties', 'history', '--json']).ended;
    expect(again.code).toBe(0);
    const { streams } = JSON.parse(again.stdout);
    // An hour that ends between the two commands gets its rollups from the second one.
    const read =
      dueHour() === hour ? streams : streams.filter(({ stream }: RunSummary) => stream !== ROLLUPS);
    for (const { stream, inserted, updated } of read)
      expect([stream, inserted, updated]).toEqual([stream, 0, 0]);
    expect(read.at(-1)).toMatchObject({ stream: 'history', points: { postgres: 0 } });
    expect(await databases.count('samples')).toBe(240);
    expect(await databases.influxPoints('pump1.temp')).toEqual(stored);
  });
});

describe('entries without a key', () => {
  it('do not stop a list; they are counted, and kept with their reason', async () => {
    const persons = Array.from({ length: 250 }, (_, k) => ({
      name: k >= 100 && k < 160 ? null : `person ${k}`,
    }));
    const { start, stub, databases } = await makeStubPlant({ lists: { [PERSONS]: persons } });
    const { stdout } = await start(['sync', 'persons']).ended;
    expect(
      stub
        .requestsTo(PERSONS)
        .filter(({ path }) => path === PERSONS)
        .map(({ query }) => query.get('page'))
        // Pages are asked for several at once, and arrive in any order.
        .toSorted(),
    ).toEqual(['1', '2', '3']);
    expect(await databases.count('persons')).toBe(190);
    expect(readTable(stdout).persons).toMatchObject({ records: '250', rows: '190', rejects: '60' });
    expect(
      await databases.rows(
        `select sum(count)::int, bool_and(reason ~ 'name') from plantsync.rejects where stream = 'persons'`,
      ),
    ).toEqual([[60, true]]);
  });
});
