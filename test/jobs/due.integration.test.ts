import { expect, it } from 'vitest';
import { listJobs } from '../../jobs/index.ts';
import type { Job } from '../../jobs/job.ts';
import type { RunSummary } from '../../src/sync/run-summary.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../support/plant-context.ts';

function jobOf({ ctx }: SimulatedPlant, name: string): Job {
  const job = listJobs(ctx.config).find((each) => each.name === name);
  if (job === undefined) throw new Error(`there is no job ${name}`);
  return job;
}

const runJob = async (plant: SimulatedPlant, name: string): Promise<RunSummary[]> => {
  const made = await jobOf(plant, name).run(plant.ctx);
  return Array.isArray(made) ? made : [made];
};

it('details whose age is that of the schedule are read at every run, and not at each of a denser one', async () => {
  const plant = await openSimulatedPlant({ size: { objects: 0, persons: 4, users: 0, orgs: 0 } }, () => ({
    streams: {
      persons: { cron: '0 3 * * *', details: { every: '1d' } },
      users: { details: { every: '1d' } },
    },
  }));
  /**
   * Moves the ages of reads and of rows. A row that changed after its details were read would be read at
   * once.
   */
  const age = async (hours: number) => {
    const [{ db }, seconds] = [plant.databases, hours * 3600];
    for (const [table, column] of [
      ['plantsync.reads', 'read_at'],
      ['plant.persons', 'changed_at'],
    ])
      await db.query(`update ${table} set ${column} = ${column} - make_interval(secs => $1)`, [seconds]);
  };
  const countRead = async () => (await runJob(plant, 'scan-persons'))[1]?.records;
  expect(await countRead()).toBe(4);
  // The age is a little less than the period: this run came to the details a moment sooner than the run
  // before.
  await age(23.99);
  expect(await countRead()).toBe(4);
  await age(6);
  expect(await countRead()).toBe(0);
});

it('the lookback is read at every run of an increment whose distance is a quarter of it', async () => {
  const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
    runtime: [{ objects: 'pump1', properties: 'temp', history: { every: '15m', lookback: '1h' } }],
  }));
  plant.simulator.addObject({ name: 'pump1', properties: [{ name: 'temp', points: [] }] });
  const lookedBack = async () => (await runJob(plant, 'increment-1'))[0]?.lookedBack ?? false;
  const age = (seconds: number) =>
    plant.databases.db.query(
      'update plantsync.runs set started_at = started_at - make_interval(secs => $1)',
      [seconds],
    );
  expect(await lookedBack()).toBe(true);
  await age(840);
  expect(await lookedBack()).toBe(true);
  await age(300);
  expect(await lookedBack()).toBe(false);
});
