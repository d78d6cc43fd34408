import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/simulator/journal.ts';
import { mix, unit } from '../../../src/simulator/random.ts';
import type { Simulator } from '../../../src/simulator/simulator-options.ts';
import { streams } from '../../../src/streams/index.ts';
import { killAfter, killWhen } from '../../support/program/interrupt.ts';
import {
  makeSimulatedProject,
  openSimulator,
  type SimulatedProject,
} from '../../support/program/simulated-project.ts';
import { createDatabase } from '../../support/servers/servers.ts';
import { expectWholeDirectory } from '../../support/truth/directory-truth.ts';

/** The lists. Their details are read with them. */
const lists = streams.filter(({ updates }) => !updates).map(({ name }) => name);
const seed = 20;

const someLatency = [{ kind: 'latency', delayMs: 10 }] as const;

async function requestsOf({ simulator, run }: SimulatedProject, args: readonly string[]): Promise<number> {
  simulator.resetRequests();
  const { code, output } = await run(args);
  expect(code, output).toBe(0);
  return simulator.requests().total;
}

const childRequests = (simulator: Simulator): JournalEntry[] =>
  simulator.journal().filter(({ operation }) => operation === 'listObjectProperties');

const objectOf = ({ path }: JournalEntry) => decodeURIComponent(path.split('/').at(-2) ?? '');

describe('a directory whose scans are killed', { timeout: 1_200_000 }, () => {
  it('ends up like the platform, wherever nine kills hit it', async () => {
    const size = { persons: 14, users: 10, orgs: 2, nodesPerOrg: 4, objects: 24, propertiesPerObject: 5 };
    const simulator = await openSimulator({ size, seed: 9, faults: someLatency });
    const args = ['sync', ...lists];
    const uninterrupted = await requestsOf(
      await makeSimulatedProject(simulator, undefined, createDatabase),
      args,
    );

    const project = await makeSimulatedProject(simulator, undefined, createDatabase);
    let [killed, longest] = [0, uninterrupted];
    for (let time = 0; time < 9; time += 1) {
      const after = 1 + Math.floor(unit(mix(seed, time)) * longest * 0.9);
      const laterMs = Math.floor(unit(mix(seed + 1, time)) * 60);
      simulator.resetRequests();
      const { code } = await killAfter(project, { args, after, laterMs });
      if (code === null) killed += 1;
      // The run was not killed. The next run has no more requests than this one, since its details are read.
      else longest = Math.min(longest, simulator.requests().total);
    }
    expect(killed).toBeGreaterThan(6);
    // Details that a killed run has read are not read again.
    expect(await requestsOf(project, args)).toBeLessThanOrEqual(uninterrupted * 1.1);
    expect(await expectWholeDirectory(project)).toBeGreaterThan(500);
    expect(
      await project.databases.rows(`select count(*)::int from plantsync.changes where kind <> 'updated'`),
    ).toEqual([0]);
  });

  it('goes on with the objects whose properties it had not stored, and asks for no other', async () => {
    const size = { persons: 0, users: 0, orgs: 0, objects: 600, propertiesPerObject: 30, networks: 0 };
    const simulator = await openSimulator({ size, seed: 9, faults: someLatency });
    const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
      postgres,
      streams: { objects: { details: 'off' } },
    }));
    expect(await project.run(['sync', 'objects'])).toMatchObject({ code: 0 });
    const { db } = project.databases;
    const args = ['sync', 'object_properties'];
    const stored = async () =>
      new Set(
        (
          await db.query<{ object: string }>(
            `select parent::jsonb ->> 0 as object from plantsync.reads where stream = 'object_properties'`,
          )
        ).rows.map(({ object }) => object),
      );

    let before = new Set<string>();
    for (let time = 1; time <= 2; time += 1) {
      simulator.resetRequests();
      await killWhen(project, args, async () => (await stored()).size > before.size);
      const asked = childRequests(simulator).map(objectOf);
      expect(asked.filter((object) => before.has(object))).toEqual([]);
      before = await stored();
    }
    expect(before.size).toBeLessThan(600);
    simulator.resetRequests();
    expect(await project.run(args)).toMatchObject({ code: 0 });
    const asked = childRequests(simulator).map(objectOf);
    expect(asked.filter((object) => before.has(object))).toEqual([]);
    expect(new Set([...asked, ...before]).size).toBe(600);
    expect(await project.databases.count('object_properties')).toBe(18_000);
  });
});
