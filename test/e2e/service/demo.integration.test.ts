import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { addPump } from '../../../src/cli/commands/demo/leave-trouble.ts';
import { silentLog } from '../../../src/log.ts';
import { openPostgres } from '../../../src/postgres/connect.ts';
import { startEmbedded } from '../../../src/postgres/embedded/start-embedded.ts';
import { streams } from '../../../src/streams/index.ts';
import { readDatabase } from '../../support/plant-databases.ts';
import { makeProject, type Project } from '../../support/program/plantsync.ts';
import { openSimulator } from '../../support/program/simulated-project.ts';
import { expectDirectory, expectHistory } from '../../support/truth/simulated-truth.ts';

const names = [...streams.map(({ name }) => name), 'history', 'current'];
const historyMs = 3 * 3_600_000;

/** Makes an empty folder. Processes that still run there when the test ends are killed. */
function makeEmptyProject(): Project {
  const project = makeProject();
  // The account that runs PostgreSQL for root may enter the folder, so that the data stays in the folder.
  chmodSync(project.folder, 0o755);
  onTestFinished(() => {
    for (const pid of findProcesses(project.folder)) process.kill(pid, 'SIGKILL');
  });
  return project;
}

/** Lists the processes that work in the folder, or name it in their arguments. */
function findProcesses(folder: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => tell(pid).includes(folder)).map(Number);
}

function tell(pid: string): string {
  try {
    return `${readFileSync(`/proc/${pid}/cmdline`, 'utf8')} ${readlinkSync(`/proc/${pid}/cwd`)}`;
  } catch {
    // The process has ended since the folder of processes was read.
    return '';
  }
}

async function runOnce({ start }: Project): Promise<void> {
  const { code, stdout, output } = await start(['demo', '--once']).ended;
  expect(code, output).toBe(0);
  for (const stream of names) expect(stdout).toMatch(new RegExp(`^${stream} .* done$`, 'm'));
  const [, postgres, influx] = /^history .* ([\d,]+) postgres \+ ([\d,]+) influx/m.exec(stdout) ?? [];
  expect(postgres).toMatch(/\d/);
  expect(influx).toMatch(/\d/);
}

/** Expects that the demo's own Postgres equals a plant of the same seed. Resolves to the number of points. */
async function expectTruth({ folder }: Project): Promise<number> {
  const simulator = await openSimulator({ seed: 1, size: 'small' });
  addPump(simulator);
  const server = await startEmbedded({
    dataDir: join(folder, '.plantsync/demo/postgres'),
    log: silentLog,
  });
  const db = openPostgres(server, silentLog);
  try {
    const databases = readDatabase(db);
    await expectDirectory({ simulator, databases });
    // A series whose gap was filled later may begin later than the others. None has a gap.
    const [extent] = await databases.rows(
      `select max(lower(covered)) as from, min(upper(covered)) as to, count(*) as series,
              max((select count(*) from unnest(covered))) as pieces
       from plantsync.coverage where store like 'postgres%' and stream = 'history' and covered <> '{}'`,
    );
    const recorded = [...simulator.truth.series()].filter(({ persisted, logged }) => persisted || logged);
    const [from, to, ...counts] = extent as [number, number, number, number];
    expect(counts).toEqual([recorded.length, 1]);
    expect(to - from).toBeGreaterThanOrEqual(historyMs * 1000);
    return await expectHistory({ simulator, databases }, { fromMs: from / 1000, toMs: to / 1000 });
  } finally {
    await db.close();
    await server.stop();
  }
}

/**
 * Starts the demo by the script of the package, as `npm run demo` does. It runs the built program in the
 * test's folder.
 */
function startByNpm({ folder }: Project) {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  // The page of the console is built already.
  const demo = scripts.demo
    .replace('npm run --silent page && ', '')
    .replace('--import tsx src/main.ts', inject('program'));
  expect(demo).toMatch(/^exec node .*main\.js demo$/);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'demo', scripts: { demo } }));
  const npm = spawn('npm', ['run', 'demo'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (data) => (output += data));
  const printed = async (pattern: RegExp) => {
    while (!pattern.test(output)) {
      if (npm.exitCode !== null) throw new Error(output);
      await sleep(20);
    }
  };
  return { npm, printed };
}

describe('the demo', () => {
  it('stores the whole plant in one cycle, leaves nothing behind, and can be repeated', async () => {
    const project = makeEmptyProject();
    await runOnce(project);
    expect(findProcesses(project.folder)).toEqual([]);
    const points = await expectTruth(project);
    expect(points).toBeGreaterThan(10_000);
    await runOnce(project);
    expect(await expectTruth(project)).toBeGreaterThan(points);
    expect(findProcesses(project.folder)).toEqual([]);
  });

  it.each([
    ['SIGTERM', /look at it/],
    ['SIGINT', /embedded PostgreSQL/],
    ['SIGHUP', /embedded PostgreSQL/],
    ['SIGKILL', /embedded PostgreSQL/],
  ] as const)('run by npm leaves nothing behind after %s to npm at %s', async (signal, sign) => {
    const project = makeEmptyProject();
    const { npm, printed } = startByNpm(project);
    await printed(sign);
    expect(findProcesses(project.folder).length).toBeGreaterThan(2);
    npm.kill(signal);
    // No process stays. Ending takes time, and the time of the test is the limit.
    while (findProcesses(project.folder).length > 0) await sleep(50);
  });

  it('goes on after it was killed at its start and in its service, and then leaves nothing behind', async () => {
    const project = makeEmptyProject();
    for (const sign of [/embedded PostgreSQL/, /look at it/]) {
      const demo = project.start(['demo']);
      await demo.printed(sign);
      demo.process.kill('SIGKILL');
      expect((await demo.ended).code).toBeNull();
    }
    expect(findProcesses(project.folder).length).toBeGreaterThanOrEqual(2);
    await runOnce(project);
    expect(findProcesses(project.folder)).toEqual([]);
    expect(await expectTruth(project)).toBeGreaterThan(10_000);
  });
});
