import { expect, it } from 'vitest';
import {
  makeSimulatedProject,
  openSimulator,
  type SimulatedProject,
} from '../../support/program/simulated-project.ts';
import { noAlarms } from '../../support/stream-switches.ts';

const countRuns = async ({ databases }: SimulatedProject, stream: string, more = '') =>
  Number(
    (await databases.rows(`select count(*)::int from plantsync.runs where stream = '${stream}' ${more}`))[0],
  );

const countMore = (project: SimulatedProject, stream: string, than: number) =>
  expect.poll(() => countRuns(project, stream)).toBeGreaterThan(than);

it('a service is paused, resumed and told to run now, and a backfill is cancelled, from other processes', async () => {
  const simulator = await openSimulator({ size: 'tiny', seed: 3 });
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
    postgres,
    alarms: noAlarms,
    runtime: [{ current: { every: '1s' }, history: { start: '1h', every: '1h' } }],
    limits: { rowsPerRead: 200 },
  }));
  expect(await project.run(['trigger', 'objekts'])).toMatchObject({
    code: 2,
    output: expect.stringContaining('did you mean objects?'),
  });
  const alone = await project.run(['trigger', 'objects']);
  expect(alone, alone.output).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('is "plantsync run" running?'),
  });

  const service = project.start(['run']);
  // The service takes triggers that were sent before it began.
  await countMore(project, 'objects', 0);
  await countMore(project, 'current', 1);
  const scans = await countRuns(project, 'objects');
  expect(await project.run(['trigger', 'objects', 'history'])).toMatchObject({ code: 0 });
  await countMore(project, 'objects', scans);

  expect(await project.run(['pause', 'current'])).toMatchObject({ code: 0 });
  expect((await project.run(['status'])).stdout).toMatch(/current is paused since/);
  expect(await project.run(['trigger', 'current'])).toMatchObject({
    code: 2,
    output: expect.stringContaining('Resume it first'),
  });
  const polls = await countRuns(project, 'current');
  const deliveries = await countRuns(project, 'history');
  expect(await project.run(['trigger', 'history'])).toMatchObject({ code: 0 });
  await countMore(project, 'history', deliveries);
  expect(await countRuns(project, 'current')).toBe(polls);
  expect((await project.run(['resume'])).stdout).toContain('resumed: current');
  await countMore(project, 'current', polls);

  simulator.setFaults([{ kind: 'latency', operation: 'readHistory', delayMs: 300 }]);
  expect(await project.run(['cancel'])).toMatchObject({ code: 2 });
  const backfill = project.start(['backfill', '--from', '-20d', '--to', '-2h']);
  await expect.poll(() => countRuns(project, 'history', `and kind = 'backfill'`)).toBe(1);
  const told = (await project.run(['status'])).stdout;
  expect(told).toMatch(/run \d+: a backfill of history/);
  expect((await project.run(['cancel'])).stdout).toMatch(/run \d+ ends within seconds/);
  expect(await backfill.ended).toMatchObject({
    code: 130,
    output: expect.stringMatching(
      /the backfill was cancelled; what is stored stays\. To go on: plantsync backfill/,
    ),
  });
  expect(await countRuns(project, 'history', `and status = 'interrupted'`)).toBe(1);
  service.process.kill('SIGTERM');
  expect(await service.ended).toMatchObject({ code: 0 });
});
