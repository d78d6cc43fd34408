import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runCommand } from '../../support/program/run-command.ts';
import {
  makeSimulatedProject,
  openSimulator,
  type SimulatedProject,
} from '../../support/program/simulated-project.ts';
import { createDatabase } from '../../support/servers/servers.ts';

const size = { objects: 0, persons: 0, users: 0, orgs: 0, networks: 0, alarmSources: 0 };
const runtime = [{ history: { start: '2h' } }];
const READING = 'no series is known yet: reading objects and object_properties first';

const property = (name: string, recorded = true) => ({
  name,
  persisted: recorded,
  logged: false,
  primitiveType: 'Double',
  points: Array.from({ length: 60 }, (_, k) => [Date.now() - (70 - k) * 60_000, k] as [number, number]),
});

/** Makes a project with an empty database, and a platform with two objects. */
async function makeProject(
  settings: object = { runtime },
  objects: Record<string, ReturnType<typeof property>[]> = {
    pump1: [property('temp'), property('hidden', false)],
    pump2: [property('temp')],
  },
): Promise<SimulatedProject> {
  const simulator = await openSimulator({ size });
  for (const [name, properties] of Object.entries(objects)) simulator.addObject({ name, properties });
  const config = { alarms: { current: 'off', history: 'off' }, ...settings };
  return makeSimulatedProject(simulator, ({ postgres }) => ({ postgres, ...config }), createDatabase);
}

/** Returns the command of the Job in deploy/kubernetes.yaml. */
function commandOfJob(): string[] {
  const documents = parseAllDocuments(readFileSync('deploy/kubernetes.yaml', 'utf8')).map((each) =>
    each.toJS(),
  );
  const job = documents.find(({ kind }) => kind === 'Job');
  return job.spec.template.spec.containers[0].args;
}

describe('on an empty database', () => {
  it.each([
    ['backfill', ['backfill', '--from', '-2h'], 120, 0],
    ['the Job of Kubernetes', commandOfJob(), 120, 0],
    ['sync history', ['sync', 'history'], 120, 0],
    ['sync current', ['sync', 'current'], 0, 2],
    ['sync history current', ['sync', 'history', 'current'], 120, 2],
  ])('%s reads the directory first, says so, and does its work', async (_, args, samples, current) => {
    const { folder, databases } = await makeProject();
    const { code, stderr, stdout } = await runCommand(folder, args);
    expect(stderr).toContain(READING);
    expect(stdout).toMatch(/objects +2[\s\S]*object_properties +3/);
    expect(code).toBe(0);
    expect(await databases.count('samples')).toBe(samples);
    expect(await databases.count('current_values')).toBe(current);
    const again = await runCommand(folder, args);
    expect(again.code).toBe(0);
    expect(again.stderr).not.toContain(READING);
  });

  it('a plan is made of what it reads of the directory, and no history is read', async () => {
    const { folder, databases } = await makeProject();
    const { code, stderr, stdout } = await runCommand(folder, ['backfill', '--from', '-2h', '--dry-run']);
    expect(code).toBe(0);
    expect(stderr).toContain(READING);
    expect(stdout).toMatch(/2 series, 4 series-hours to read/);
    expect(await databases.count('samples')).toBe(0);
  });

  it('verify and gaps never say that all is well', async () => {
    const { folder } = await makeProject();
    const before = await runCommand(folder, ['gaps']);
    expect(before.code).toBe(3);
    expect(before.stdout).toMatch(/no series is known, since object_properties was never read/);
    const verified = await runCommand(folder, ['verify', '--from', '-2h']);
    expect(verified.stderr).toContain(READING);
    expect(verified.code).toBe(3);
    expect(verified.stdout).toMatch(/nothing of the range is stored/);
    const after = await runCommand(folder, ['gaps']);
    expect(after.code).toBe(3);
    expect(after.stdout).toMatch(/pump1\.temp/);
    const ask = async (...options: string[]) => {
      const { code, stdout } = await runCommand(folder, ['gaps', '--json', ...options]);
      expect(code).toBe(3);
      return JSON.parse(stdout);
    };
    const listed = await ask();
    const hoursOf = ({ from, to }: { from: string; to: string }) =>
      (Date.parse(to) - Date.parse(from)) / 3.6e6;
    const hours = listed.gaps.map((gaps: { ranges: [{ from: string; to: string }] }) =>
      hoursOf(gaps.ranges[0]),
    );
    for (const options of [[], ['--object', 'pump*']]) {
      const { sums, series, leftOut } = await ask('--summary', ...options);
      expect({ series, leftOut }).toEqual({ series: listed.series, leftOut: listed.leftOut });
      expect(sums).toMatchObject([{ selection: '1', stream: 'history', series: 2, wanted: 2 }]);
      expect(Math.abs(hours[0] + hours[1] - sums[0].hours)).toBeLessThan(0.2);
    }
    const { stdout } = await runCommand(folder, ['gaps', '--summary']);
    expect(stdout).toMatch(/selection .* series .* with gaps .* gap hours/);
  });

  it('a stream of children reads its parents first', async () => {
    const { folder, databases } = await makeProject();
    const { code, stderr } = await runCommand(folder, ['sync', 'object_properties']);
    expect(code).toBe(0);
    expect(stderr).toContain('never read yet: reading objects first');
    expect(await databases.count('object_properties')).toBe(3);
  });

  it('a directory that could not be read is no empty one', async () => {
    const { folder } = await makeProject({ runtime, streams: { object_properties: 'off' } });
    const { code, stdout } = await runCommand(folder, ['sync', 'history']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/streams\.object_properties is off/);
  });
});

describe('a directory that was read in part only', () => {
  const fault = {
    kind: 'status',
    operation: 'listObjectProperties',
    match: 'pump2',
    status: 400,
    code: '800001',
    message: 'operation failed',
  } as const;
  const REST = 'never read to the end yet: reading object_properties first';

  it('is said to be so by every later command, which asks for nothing but the rest', async () => {
    const { folder, simulator, databases } = await makeProject();
    simulator.setFaults([fault]);
    const first = await runCommand(folder, ['sync', 'history']);
    expect(first.code).toBe(3);
    expect(await databases.count('samples')).toBe(60);
    for (const args of [
      ['sync', 'history'],
      ['backfill', '--from', '-2h'],
      ['backfill', '--from', '-2h', '--dry-run'],
      ['verify', '--from', '-2h'],
    ]) {
      simulator.resetRequests();
      const { code, stdout, stderr } = await runCommand(folder, args);
      expect(stderr).toContain(REST);
      expect(stdout).toMatch(/object_properties: pump2: .*operation failed/);
      expect(code).toBe(3);
      const asked = simulator.journal().map(({ operation, path }) => `${operation} ${path}`);
      expect(asked.filter((each) => /listObjects |pump1\/properties/.test(each))).toEqual([]);
    }
    const gaps = await runCommand(folder, ['gaps']);
    expect(gaps.stdout).toMatch(
      /object_properties: no scan has read all of it yet, so there may be more series/,
    );
    expect(gaps.code).toBe(3);
    expect((await runCommand(folder, ['status'])).stdout).toContain('no scan has read all of it yet');
  });

  it('is read to its end by the next command that can', async () => {
    const { folder, simulator, databases } = await makeProject();
    simulator.setFaults([fault]);
    await runCommand(folder, ['sync', 'history']);
    simulator.setFaults([]);
    const { code, stderr } = await runCommand(folder, ['sync', 'history']);
    expect(stderr).toContain(REST);
    expect(code).toBe(0);
    expect(await databases.count('samples')).toBe(120);
    const again = await runCommand(folder, ['sync', 'history']);
    expect(again.stderr).not.toContain(REST);
    expect((await runCommand(folder, ['gaps'])).code).toBe(0);
  });
});

const commands: [string[]][] = [
  [['sync', 'history']],
  [['sync', 'current']],
  [['backfill', '--from', '-2h']],
  [['backfill', '--from', '-2h', '--dry-run']],
  [['verify', '--from', '-2h']],
  [['gaps']],
];

describe('a run that selects nothing', () => {
  it.each(commands)('ends with 3 where no series matches, and says what there is: %j', async (args) => {
    const { folder } = await makeProject({ runtime: [{ objects: 'x*', history: { start: '2h' } }] });
    await runCommand(folder, ['sync', 'objects', 'object_properties']);
    const { code, stdout } = await runCommand(folder, args);
    expect(stdout).toContain('no series matches selection 1 (objects "x*", properties "*")');
    expect(stdout).toContain('the platform has 2 objects with 3 properties, 2 of them persisted or logged');
    expect(code).toBe(3);
  });

  it.each(commands)('ends with 3 where nothing is recorded: %j', async (args) => {
    const { folder } = await makeProject({ runtime }, { pump1: [property('temp', false)] });
    await runCommand(folder, ['sync', 'objects', 'object_properties']);
    const { code, stdout } = await runCommand(folder, args);
    expect(stdout).toMatch(
      /1 property match, none of them persisted or logged \("recorded: any" reads them\)/,
    );
    expect(code).toBe(3);
  });

  it.each(commands)('ends with 0 where the platform has nothing, and says so: %j', async (args) => {
    const { folder } = await makeProject({ runtime }, {});
    await runCommand(folder, ['sync', 'objects', 'object_properties']);
    const { code, stdout } = await runCommand(folder, args);
    expect(stdout).toContain('the platform has no objects');
    expect(code).toBe(0);
  });

  it('ends with 3 where the command names what nobody selects', async () => {
    const { folder } = await makeProject();
    for (const command of ['backfill', 'verify']) {
      const { code, stdout } = await runCommand(folder, [command, '--from', '-2h', '--object', 'pomp1']);
      expect(stdout).toMatch(
        /no series with history matches --object pomp1 --property \*; 2 series are selected/,
      );
      expect(code).toBe(3);
    }
  });

  it('is told by status, with what is left out', async () => {
    const { folder } = await makeProject({ runtime: [{ objects: 'x*' }, { objects: 'pump1' }] });
    await runCommand(folder, ['sync']);
    const { stdout } = await runCommand(folder, ['status']);
    expect(stdout).toContain('no series matches selection 1 (objects "x*", properties "*")');
    expect(stdout).toContain(
      'properties left out: 1 neither persisted nor logged ("recorded: any" reads them), 1 matched by no selection',
    );
  });
});

it('what is stored already is said to be stored', async () => {
  const { folder } = await makeProject();
  const range = ['backfill', '--from', '-90m', '--to', '-30m'];
  const { stdout: first } = await runCommand(folder, range);
  expect(first).not.toContain('stored already');
  const covered = ['backfill', '--from', '-80m', '--to', '-40m'];
  const sentence = 'everything asked for is stored already (2 series); --force reads it again';
  for (const more of [[], ['--dry-run']]) {
    const { code, stdout } = await runCommand(folder, [...covered, ...more]);
    expect(stdout).toContain(sentence);
    expect(code).toBe(0);
  }
  const { stdout: forced } = await runCommand(folder, [...covered, '--force']);
  expect(forced).not.toContain('stored already');
});

it('a covered range of alarms is said to be stored', async () => {
  const { folder } = await makeProject({});
  const range = ['backfill', '--alarms', '--from', '-90m', '--to', '-30m'];
  const { stdout: first } = await runCommand(folder, range);
  expect(first).not.toContain('stored already');
  const covered = ['backfill', '--alarms', '--from', '-80m', '--to', '-40m'];
  for (const more of [[], ['--dry-run']]) {
    const { code, stdout } = await runCommand(folder, [...covered, ...more]);
    expect(stdout).toContain('everything asked for is stored already; --force reads it again');
    expect(code).toBe(0);
  }
});
