import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Simulator } from '../../../src/simulator/simulator-options.ts';
import {
  makeSimulatedProject,
  openSimulator,
  type SimulatedProject,
} from '../../support/program/simulated-project.ts';
import { expectDirectory, expectHistory, expectInfluxHistory } from '../../support/truth/simulated-truth.ts';

/** The clock of the plant stands still, so that the truth does not change while the plant is read. */
const nowMs = Date.UTC(2026, 2, 1, 12);
const fromMs = Date.UTC(2026, 1, 26);
const toMs = Date.UTC(2026, 2, 1);
const backfill = ['backfill', '--from', '2026-02-26', '--to', '2026-03-01'];

/** The most windows that a run reads at once. */
const windowsAtOnce = 8;

const historyRequests = (simulator: Simulator) => simulator.requests().byOperation.readHistory ?? 0;

/**
 * Makes a project whose directory is read. The platform is slow enough for a kill to hit the middle of its
 * history.
 */
async function makeSlowProject(simulator: Simulator): Promise<SimulatedProject> {
  const project = await makeSimulatedProject(simulator, ({ postgres, influx }) => ({
    postgres,
    influx,
    limits: { rowsPerRead: 500 },
  }));
  expect(await project.run(['sync', 'objects', 'object_properties'])).toMatchObject({ code: 0 });
  simulator.resetRequests();
  return project;
}

const openSlowSimulator = () =>
  openSimulator({
    size: 'tiny',
    seed: 3,
    nowMs: () => nowMs,
    faults: [{ kind: 'latency', operation: 'readHistory', delayMs: 60 }],
  });

/** Starts the command and sends the signal after this many more requests. */
async function interrupt(
  { start, simulator }: SimulatedProject,
  { args, signal, after }: { args: readonly string[]; signal: NodeJS.Signals; after: number },
) {
  const before = simulator.requests().total;
  const running = start(args);
  while (simulator.requests().total - before < after) {
    if (running.process.exitCode !== null) throw new Error(`it ended before:\n${running.output()}`);
    await sleep(5);
  }
  running.process.kill(signal);
  return running.ended;
}

describe('a backfill that is killed', () => {
  it('stores everything once when it is repeated, and reads only what is not stored', async () => {
    const simulator = await openSlowSimulator();
    const spare = await makeSlowProject(simulator);
    expect(await spare.run(backfill)).toMatchObject({ code: 0 });
    const uninterrupted = historyRequests(simulator);
    expect(uninterrupted).toBeGreaterThan(60);

    const project = await makeSlowProject(simulator);
    const shares = [0.1, 0.25, 0.3];
    for (const share of shares) {
      const after = Math.round(uninterrupted * share);
      const killed = await interrupt(project, { args: backfill, signal: 'SIGKILL', after });
      expect(killed.code).toBeNull();
    }
    expect(await project.run(backfill)).toMatchObject({ code: 0 });
    expect(await expectHistory(project, { fromMs, toMs })).toBeGreaterThan(10_000);
    expect(await expectInfluxHistory(project, { fromMs, toMs })).toBeGreaterThan(10_000);
    // A kill costs at most the windows that were being read. A fifth more is for sizes that are proven again,
    // since a killed run keeps only the knowledge of a second before.
    expect(historyRequests(simulator)).toBeLessThanOrEqual(
      1.2 * uninterrupted + windowsAtOnce * shares.length,
    );

    simulator.resetRequests();
    expect(await project.run(backfill)).toMatchObject({ code: 0 });
    expect(historyRequests(simulator)).toBe(0);
  });
});

describe('a command that is told to stop', () => {
  it('ends with 130 and says how to go on, and the same command does', async () => {
    const simulator = await openSlowSimulator();
    const project = await makeSlowProject(simulator);
    const { code, stderr } = await interrupt(project, { args: backfill, signal: 'SIGTERM', after: 30 });
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /interrupted.* plantsync backfill --from 2026-02-26T00:00:00Z --to 2026-03-01T00:00:00Z\n/,
    );
    const stored = await project.databases.count('samples');
    expect(stored).toBeGreaterThan(0);

    expect(await project.run(backfill)).toMatchObject({ code: 0 });
    expect(await expectHistory(project, { fromMs, toMs })).toBeGreaterThan(stored);
    expect(await expectInfluxHistory(project, { fromMs, toMs })).toBeGreaterThan(0);
  });
});

describe('a scan of the directory that is killed', () => {
  it('leaves nothing that the next one does not put right', async () => {
    const simulator = await openSimulator({
      size: { persons: 700, objects: 120 },
      nowMs: () => nowMs,
      faults: [{ kind: 'latency', delayMs: 20 }],
    });
    const project = await makeSimulatedProject(simulator);
    const scan = ['sync', 'persons', 'objects', 'object_properties'];
    for (const after of [5, 12, 60])
      expect((await interrupt(project, { args: scan, signal: 'SIGKILL', after })).code).toBeNull();
    expect(await project.run(scan)).toMatchObject({ code: 0 });
    await expectDirectory(project);
  });
});
