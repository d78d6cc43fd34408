import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Readiness } from '../../../src/console/readiness.ts';
import { STORE_KINDS } from '../../../src/load/stores/store-kinds.ts';
import { filesKind } from '../../load/stores/files-store/kind.ts';
import { readFile } from '../../load/stores/files-store/read.ts';
import type { PlantDatabases } from '../../support/plant-databases.ts';
import { runCommand } from '../../support/program/run-command.ts';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { freePort } from '../../support/servers/process.ts';

const SIZE = { objects: 0, persons: 0, users: 0, orgs: 0, networks: 0, alarmSources: 0 };
const POINTS = 60;

type Sections = PlantDatabases['sections'];

/** A plant whose points go to a third kind of store as well, of which no file of the product knows. */
async function openPlant(sections: (own: Sections) => object = ({ postgres }) => ({ postgres })) {
  const simulator = await openSimulator({ size: SIZE });
  const now = Date.now();
  const pointsOf = (value: (k: number) => number | string) =>
    Array.from({ length: POINTS }, (_, k): [number, number | string] => [now - (70 - k) * 60_000, value(k)]);
  simulator.addObject({
    name: 'pump 1',
    properties: [
      { name: 'temp', persisted: true, primitiveType: 'Double', points: pointsOf((k) => k / 3) },
      { name: 'state', persisted: true, primitiveType: 'String', points: pointsOf((k) => `step "${k}", on`) },
    ],
  });
  simulator.raiseAlarm({ sourceObjName: 'pump 1', sourcePropName: 'temp' });
  const project = await makeSimulatedProject(simulator, (own) => ({
    runtime: [{ history: { start: '2h' }, current: { every: '1s' } }],
    ...sections(own),
  }));
  const home = join(project.folder, 'disk');
  await mkdir(home);
  /** Runs a command of a plantsync that has one line more in its list of stores. */
  const run = (
    args: readonly string[],
    { disk = home, signal }: { disk?: string; signal?: AbortSignal } = {},
  ) => {
    const others = [...STORE_KINDS.others, filesKind(join(disk, 'plant'))];
    const storeKinds = { ...STORE_KINDS, others };
    return runCommand(project.folder, args, { storeKinds, ...(signal && { signal }) });
  };
  const stored = async (file: string) => (await readFile(join(home, 'plant', `${file}.lp`))).length;
  return { ...project, home, run, stored };
}

it('a third kind of store is filled by sync, and every command knows of it', async () => {
  const { run, stored, home, databases } = await openPlant(({ postgres, influx }) => ({ postgres, influx }));
  const before = await run(['check']);
  expect(before.stdout).toMatch(
    /ok +files +files in .*: the folder does not exist yet\. plantsync sync makes it/,
  );
  const synced = await run(['sync', '--json']);
  expect(synced.code, synced.stderr).toBe(0);
  const { streams } = JSON.parse(synced.stdout) as { streams: { stream: string; points: object }[] };
  const counts = (name: string) =>
    Object.assign({}, ...streams.filter(({ stream }) => stream === name).map(({ points }) => points));
  expect(counts('history')).toEqual({ postgres: 120, influx: 120, files: 120 });
  expect(counts('current')).toEqual({ postgres: 2, influx: 2, files: 2 });
  // A store that was never filled gets its events from the table as well.
  expect(counts('alarms')).toEqual({ influx: 2, files: 2 });
  for (const [file, table] of [
    ['history', 'samples'],
    ['polls', 'samples_polled'],
    ['alarm_events', 'alarm_events'],
  ] as const)
    expect(await stored(file), file).toBe(await databases.count(table));

  expect((await run(['sync', 'history'])).code).toBe(0);
  expect(await stored('history')).toBe(120);
  expect((await run(['check'])).stdout).toMatch(/ok +files +.*\/plant takes points/);
  const known = JSON.parse((await run(['stores', '--json'])).stdout);
  expect(known.allConfigured).toEqual([expect.stringMatching(/^influx:/), `files:${home}/plant`]);
  expect((await run(['status'])).stdout).toMatch(/missing series-hours in files:\S+: 0/);
  const verified = JSON.parse((await run(['verify', '--from', '-2h', '--json'])).stdout);
  expect(JSON.stringify(verified)).toContain('"kind":"files"');
  expect((await run(['gaps'])).code).toBe(0);
});

it('a third kind of store that moved, or was dropped, is treated as InfluxDB is', async () => {
  const { run, stored, home, folder } = await openPlant();
  await run(['sync']);
  const disk = join(folder, 'other disk');
  await rename(home, disk);
  await mkdir(home);
  const refused = await run(['sync'], { disk });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    /files: the ledger knows no store .*, but files:.*plantsync stores adopt "files:/s,
  );
  const adopted = await run(['stores', 'adopt', `files:${home}/plant`], { disk });
  expect(adopted.code, adopted.stderr).toBe(0);
  expect((await run(['sync', 'history', '--json'], { disk })).code).toBe(0);

  await rename(join(disk, 'plant'), join(home, 'plant'));
  await run(['stores', 'adopt', `files:${disk}/plant`]);
  await rm(join(home, 'plant'), { recursive: true });
  const reader = await run(['gaps']);
  expect(reader.stderr).toMatch(/the folder does not exist, although the ledger says what is stored in it/);
  const refilled = await run(['sync']);
  expect(refilled.code, refilled.stdout + refilled.stderr).toBe(0);
  expect(await stored('history')).toBe(120);
  expect(await stored('alarm_events')).toBe(1);
});

it('the service delivers to a third kind of store, waits for it at its start, and shows it', async () => {
  const port = await freePort();
  const { run, stored, home } = await openPlant(({ postgres }) => ({
    postgres: { ...postgres, samples: false },
    console: { port },
  }));
  await rm(home, { recursive: true });
  const ending = new AbortController();
  const service = run(['run'], { signal: ending.signal });
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  const state = async () => {
    const { dependencies } = JSON.parse(await ask('/readyz').catch(() => '{}')) as Partial<Readiness>;
    return dependencies?.files?.state;
  };
  await expect.poll(state).toBe('down');
  expect(JSON.parse(await ask('/readyz'))).toMatchObject({ ready: false });
  await mkdir(home);
  await expect.poll(state).toBe('up');
  await expect.poll(() => stored('history')).toBe(120);
  await expect.poll(() => stored('polls')).toBeGreaterThan(2);
  await expect.poll(() => stored('alarm_events')).toBe(1);
  await expect
    .poll(() => ask('/metrics'))
    .toMatch(/points_written_total\{stream="history",store="files"\} 120/);
  expect(await ask('/metrics')).not.toMatch(/points_written_total\{stream="history",store="postgres"/);
  const status = await run(['status']);
  expect(status.stdout, status.stderr).toContain('postgres.samples is off: history is in files alone');
  ending.abort();
  expect((await service).code).toBe(0);
});
