import { describe, expect, it } from 'vitest';
import { exitCodeOfVerification, renderReport } from '../../../src/cli/commands/verify.ts';
import { emptySummary } from '../../../src/sync/run-summary.ts';
import type { VerifyReport } from '../../../src/sync/verify/verify-history.ts';
import type { StoreVerification } from '../../../src/sync/verify/verify-report.ts';
import { runCommand } from '../../support/program/run-command.ts';
import { makeStubPlant, onlyHistoryOf, type StubPlant } from '../../support/stub/stub-plant.ts';

const HISTORY = '/openapi/objects/v1/properties/history';
const range = ['--from', '2024-05-01', '--to', '2024-05-02'];

/** A point in every hour of a day. */
const points = Array.from({ length: 24 }, (_, k): [string, number] => [
  `2024-05-01T${String(k).padStart(2, '0')}:30:00Z`,
  k,
]);

/** Makes a plant whose day is loaded into Postgres and InfluxDB. */
async function makeFilledPlant(): Promise<StubPlant> {
  const plant = await makeStubPlant({ history: { 'pump1.temp': points } }, ({ postgres, influx }) => ({
    postgres,
    influx,
    ...onlyHistoryOf(['pump1.temp']),
  }));
  expect(await runCommand(plant.folder, ['backfill', ...range])).toMatchObject({ code: 0 });
  return plant;
}

const store = (more: Partial<StoreVerification> = {}): StoreVerification => ({
  store: 'postgres:plant',
  kind: 'postgres',
  points: 10,
  windows: 1,
  differences: [],
  failure: undefined,
  kept: undefined,
  ...more,
});
const report = (
  stores: StoreVerification[],
  status: 'done' | 'partial' | 'failed' = 'done',
): VerifyReport => ({
  range: { from: 0, to: 1 },
  series: 1,
  stores,
  unreadable: [],
  gaps: [],
  summary: { ...emptySummary('history'), status },
});
const failure = 'it is away';

describe('plantsync verify', () => {
  it('ends with 0 where all is equal, with 3 where anything differs, and with 0 again after a repair', async () => {
    const { folder, databases } = await makeFilledPlant();
    const equal = await runCommand(folder, ['verify', ...range]);
    expect(equal).toMatchObject({ code: 0 });
    expect(equal.stdout).toBe('postgres: 24 points compared; equal\ninflux: 24 points compared; equal\n');
    expect(equal.stderr).toMatch(/2024-05-01T00:00:00Z … 2024-05-02T00:00:00Z/);

    await databases.db.query(`delete from plant.samples where value > 21`);
    await databases.db.query(`update plant.samples set value = 99 where value = 3`);
    const json = await runCommand(folder, ['verify', ...range, '--json']);
    expect(json.code).toBe(3);
    expect(JSON.parse(json.stdout)).toMatchObject({
      range: { from: '2024-05-01T00:00:00Z', to: '2024-05-02T00:00:00Z' },
      stores: [
        {
          kind: 'postgres',
          differences: [
            {
              series: 'pump1.temp',
              missing: { count: 2, first: ['2024-05-01T22:30:00Z', '2024-05-01T23:30:00Z'] },
              extra: { count: 0, first: [] },
              different: { count: 1, first: ['2024-05-01T03:30:00Z'] },
            },
          ],
        },
        { kind: 'influx', differences: [] },
      ],
    });
    const repair = await runCommand(folder, ['verify', ...range, '--repair']);
    expect(repair.code).toBe(3);
    expect(repair.stdout).toMatch(/pump1\.temp +2 +0 +1 .*\n[\s\S]*verify again/);
    expect(await runCommand(folder, ['verify', ...range])).toMatchObject({ code: 0 });
  });

  it('proves nothing where nothing is stored, and asks nothing of the platform for it', async () => {
    const { folder, stub } = await makeFilledPlant();
    const before = stub.requestsTo(HISTORY).length;
    const { code, stdout } = await runCommand(folder, [
      'verify',
      '--from',
      '2024-05-03',
      '--to',
      '2024-05-04',
    ]);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /not stored, so not compared:[\s\S]*postgres: 0 points compared; nothing of the range is stored/,
    );
    expect(stub.requestsTo(HISTORY).length).toBe(before);
  });

  it.each([
    [['verify'], /--from TIME is missing/],
    [['verify', '--from', '2024-05-02', '--to', '2024-05-01'], /--from 2024-05-02/],
  ])('refuses %j', async (args, message) => {
    const { folder } = await makeStubPlant({}, ({ postgres }) => ({
      postgres,
      ...onlyHistoryOf(['pump1.temp']),
    }));
    const { code, stderr } = await runCommand(folder, args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('ends with 3 where it names no series, and says what there is', async () => {
    const { folder } = await makeStubPlant({}, ({ postgres }) => ({
      postgres,
      ...onlyHistoryOf(['pump1.temp']),
    }));
    const { code, stdout } = await runCommand(folder, ['verify', ...range, '--object', 'nobody']);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /no series with history matches --object nobody --property \*; 1 series is selected/,
    );
  });

  it.each([
    ['0 if all is equal', 0, report([store()])],
    ['3 if a store could not be compared', 3, report([store(), store({ failure })], 'partial')],
    ['1 if none could', 1, report([store({ failure }), store({ failure })], 'partial')],
    ['1 if the platform failed', 1, report([store()], 'failed')],
    ['3 if nothing was compared', 3, report([store({ windows: 0 })])],
  ])('ends with %s', (_, code, of) => {
    expect(exitCodeOfVerification(of)).toBe(code);
  });

  it('says what could not be compared, and what could not be removed', () => {
    const lines = renderReport(report([store({ failure }), store({ kept: 'it stays' })], 'partial'), {
      isRepaired: true,
    });
    expect(lines).toEqual([
      'postgres: 10 points compared; it is away',
      'postgres: 10 points compared; equal; it stays',
    ]);
  });
});
