import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/ledger.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { emptySummary } from '../../src/sync/run-summary.ts';
import { type MadePlant, useMadePlant } from './made-plant.ts';

const openPlant = useMadePlant();

const HEALTH =
  'select stream, kind, last_status, last_success_at is null as none, problem, running, last_finished_at is null as goes_on from bi.sync_health order by 1, 2';

/** Records a run that has ended. */
async function run({ ledger }: MadePlant, kind: string, end: Parameters<typeof ledger.runs.finish>[1]) {
  const id = await ledger.runs.start({ stream: 'objects', kind });
  await ledger.runs.finish(id, end);
  return id;
}

test('the health of each kind of work comes out of its newest runs', async () => {
  const plant = await openPlant();
  const { ledger } = plant;
  expect(await plant.ask(HEALTH)).toEqual([]);
  await run(plant, 'scan', { status: 'failed', error: 'the platform does not answer' });
  await ledger.runs.start({ stream: 'history', kind: 'increment' });
  expect(await plant.ask(HEALTH)).toEqual([
    ['history', 'increment', 'running', true, null, true, true],
    ['objects', 'scan', 'failed', true, 'the platform does not answer', false, false],
  ]);
  await run(plant, 'scan', { status: 'done', summary: emptySummary('objects') });
  await ledger.runs.start({ stream: 'objects', kind: 'scan' });
  expect((await plant.ask(HEALTH))[1]).toEqual(['objects', 'scan', 'running', false, null, true, false]);
  expect(
    await plant.ask(
      `select since_success_sec between 0 and 600 as sane from bi.sync_health where stream = 'objects'`,
    ),
  ).toEqual([[true]]);
});

test('a run whose process died is lost, and does not go on', async () => {
  const plant = await openPlant();
  const other = createLedger(plant.db, defaultSchemas);
  await other.runs.start({ stream: 'objects', kind: 'scan' });
  // Its lease has ended, and no other process has noted that yet.
  await plant.run(`update plantsync.leases set until = now() - interval '1 s'
    where id = (select max(id) from plantsync.leases)`);
  const died = 'the process of the run died, or stood still for too long';
  expect(await plant.ask(HEALTH)).toEqual([['objects', 'scan', 'lost', true, died, false, true]]);
  expect(await plant.ask('select status, seconds, finished_at from bi.sync_runs')).toEqual([
    ['lost', null, null],
  ]);
  await other.leases.sweep();
});

test('a run tells what it has loaded', async () => {
  const plant = await openPlant();
  const id = await run(plant, 'scan', {
    status: 'partial',
    error: '3 entries could not be used',
    summary: {
      ...emptySummary('objects'),
      ...{ records: 100, points: { postgres: 40, influx: 30 }, rejects: 3, requests: 7, seconds: 1.5 },
    },
  });
  expect(
    await plant.ask(
      'select run_id, stream, kind, status, seconds, records, points, rejects, requests, error from bi.sync_runs',
    ),
  ).toEqual([[id, 'objects', 'scan', 'partial', 1.5, 100, 70, 3, 7, '3 entries could not be used']]);
  await run(plant, 'scan', { status: 'interrupted' });
  expect(
    await plant.ask(
      'select status, records, points, requests from bi.sync_runs order by run_id desc limit 1',
    ),
  ).toEqual([['interrupted', null, null, null]]);
});

test('open rejects and drift are told without their samples', async () => {
  const plant = await openPlant();
  const reject = { stream: 'objects', kind: 'record', reason: 'no name', sample: { secret: 1 } };
  await plant.ledger.rejects.add([
    { ...reject, key: 'a' },
    { ...reject, key: 'b' },
  ]);
  const [first] = await plant.ledger.rejects.list();
  await plant.ledger.rejects.dismiss([first?.id as number], 'known');
  await plant.ledger.drift.replace('objects', [
    { table: 'objects', member: 'colour', kind: 'new', count: 2, sample: 'secret' },
  ]);
  expect(await plant.ask('select stream, kind, key, reason, count from bi.sync_rejects')).toEqual([
    ['objects', 'record', first?.key === 'a' ? 'b' : 'a', 'no name', 1],
  ]);
  expect(await plant.ask('select stream, table_name, member, kind, count from bi.drift')).toEqual([
    ['objects', 'objects', 'colour', 'new', 2],
  ]);
  for (const view of ['sync_rejects', 'drift'])
    expect(JSON.stringify(await plant.ask(`select * from bi.${view}`))).not.toMatch(/secret/);
});

test('what a verification found is told by series', async () => {
  const plant = await openPlant();
  const series = await plant.series('pump1.temp', 'Double');
  const id = await plant.ledger.runs.start({ stream: 'history', kind: 'verify pump*' });
  const difference = { stream: 'history', seriesId: series.id, missing: 2, extra: 1, different: 3 };
  await plant.ledger.runs.finish(id, {
    status: 'partial',
    summary: {
      ...emptySummary('history'),
      differences: [
        { ...difference, store: 'postgres:plant', isRepaired: true },
        { ...difference, store: 'influx:x', seriesId: 99, isRepaired: false },
      ],
    },
  });
  await plant.ledger.runs.finish(await plant.ledger.runs.start({ stream: 'history', kind: 'verify' }), {
    status: 'done',
    summary: emptySummary('history'),
  });
  expect(
    await plant.ask(
      'select run_id, store, stream, object, property, missing, extra, different, repaired from bi.verify_differences',
    ),
  ).toEqual([
    [id, 'postgres:plant', 'history', 'pump1', 'temp', 2, 1, 3, true],
    [id, 'influx:x', 'history', null, null, 2, 1, 3, false],
  ]);
});

test('a process of the service without a sign of life is not alive', async () => {
  const plant = await openPlant();
  const id = await plant.ledger.services.begin('worker');
  expect(await plant.ask('select role, pid, alive from bi.services')).toEqual([
    ['worker', process.pid, true],
  ]);
  await plant.run(`update plantsync.services set beat_at = now() - interval '21 s'`);
  // While the server was away, nobody could give a sign of life.
  const away = `pg_postmaster_start_time() > now() - interval '20 s'`;
  expect(await plant.ask(`select alive = (${away}) as told from bi.services`)).toEqual([[true]]);
  await plant.ledger.services.end(id);
  expect(await plant.ask('select * from bi.services')).toEqual([]);
});
