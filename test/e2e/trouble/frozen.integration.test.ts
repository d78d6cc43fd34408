import { expect, it } from 'vitest';
import { plantSizes } from '../../../src/simulator/plant/size.ts';
import type { RunningPlantsync } from '../../support/program/plantsync.ts';
import {
  makeSimulatedProject,
  openSimulator,
  type SimulatedProject,
} from '../../support/program/simulated-project.ts';
import { onlyStreams } from '../../support/stream-switches.ts';
import { expectAlarms } from '../../support/truth/alarms-truth.ts';
import { expectTable } from '../../support/truth/directory-truth.ts';
import { expectHistory, expectInfluxHistory } from '../../support/truth/simulated-truth.ts';

const TURNS = 4;
const alarm = { sourceObjName: 'pump1', sourcePropName: 'temp' };

/** Starts two services that share the work of one plant, where everything is due every second. */
async function startPair() {
  const simulator = await openSimulator({
    // What counts as the last 30 days of alarms would change while the services run.
    size: { ...plantSizes.tiny, alarmSources: 0 },
    seed: 23,
    faults: [{ kind: 'latency', operation: 'readHistory', delayMs: 100 }],
  });
  const project = await makeSimulatedProject(simulator, ({ postgres, influx }) => ({
    postgres,
    influx,
    streams: { ...onlyStreams('objects', 'object_properties'), persons: { every: '1s' } },
    alarms: { current: { every: '1s' }, history: { every: '1s', settle: '1s' } },
    runtime: [
      {
        objects: '*',
        current: { every: '1s' },
        history: { start: '10m', every: '1s', settle: '2s', lookback: '30s' },
      },
    ],
    limits: { rowsPerRead: 300 },
  }));
  expect(await project.run(['sync', 'objects', 'object_properties'])).toMatchObject({ code: 0 });
  const services = [project.start(['run']), project.start(['run'])] as const;
  await Promise.all(services.map((service) => service.printed(/the service runs/)));
  return { project, simulator, services };
}

const countDone = async (
  { databases }: SimulatedProject,
  pid: number | undefined,
): Promise<Record<string, number>> => {
  const { rows } = await databases.db.query<{ what: string; count: number }>(
    `select stream || ' ' || split_part(kind, ' ', 1) as what, count(*)::int as count from plantsync.runs
     where pid = $1 and status in ('done', 'partial') group by 1`,
    [pid],
  );
  return Object.fromEntries(rows.map(({ what, count }) => [what, count]));
};

/** Waits until a service has done each kind of work once more than before. */
async function waitForWork(project: SimulatedProject, { process: { pid } }: RunningPlantsync) {
  const before = await countDone(project, pid);
  const all = ['persons scan', 'alarms poll', 'alarms increment', 'current poll', 'history increment'];
  const lacking = async () => {
    const now = await countDone(project, pid);
    return all.filter((what) => (now[what] ?? 0) <= (before[what] ?? 0));
  };
  await expect.poll(lacking, { interval: 200 }).toEqual([]);
}

/** Ends the lease of a process that stands still, as 45 s would. */
async function endLease({ databases }: SimulatedProject, { process: { pid } }: RunningPlantsync) {
  await databases.db.query(
    `update plantsync.leases set until = clock_timestamp() where holder like 'plantsync ' || $1 || '@%'`,
    [String(pid)],
  );
}

it('services that stand still beyond their lease harm nothing when they wake up after another has taken over', async () => {
  const { project, simulator, services } = await startPair();
  // Nearly all that the services read, so that it has many points however quick the machine is.
  const beganMs = Date.now() - 540_000;
  const raised: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const [asleep, awake] = turn % 2 === 0 ? services : [services[1], services[0]];
    asleep.process.kill('SIGSTOP');
    // The sleeping service has not seen the alarms that come and go meanwhile.
    const former = raised.at(-1);
    if (former !== undefined) simulator.clearAlarm(former);
    raised.push(simulator.raiseAlarm({ ...alarm, showName: `hot ${turn}` }));
    simulator.change({
      collection: 'persons',
      kind: 'add',
      record: { name: `guest_${turn}`, showName: 'Guest' },
    });
    if (turn > 0) simulator.change({ collection: 'persons', kind: 'remove', key: `guest_${turn - 1}` });
    await endLease(project, asleep);
    await waitForWork(project, awake);
    asleep.process.kill('SIGCONT');
    await waitForWork(project, asleep);
  }
  for (const service of services) {
    service.process.kill('SIGTERM');
    expect(await service.ended).toMatchObject({
      code: 0,
      output: expect.stringMatching(/lease.* has ended/),
    });
  }
  for (let scan = 0; scan < 3; scan += 1)
    expect(await project.run(['sync', 'persons', 'history', 'alarms'])).toMatchObject({ code: 0 });
  const range = { fromMs: beganMs, toMs: Date.now() - 10_000 };
  expect(await expectHistory(project, range)).toBeGreaterThan(100);
  expect(await expectInfluxHistory(project, range)).toBeGreaterThan(100);
  await expectTable(project, 'persons', { without: ['detail_extra'] });
  await expectAlarms(project);
  const transitions = await project.databases.rows(
    `select transition || ' ' || count(*) from plant.alarm_events where show_name like 'hot %' group by transition order by 1`,
  );
  expect(transitions).toEqual([`cleared ${TURNS - 1}`, `raised ${TURNS}`]);
});
