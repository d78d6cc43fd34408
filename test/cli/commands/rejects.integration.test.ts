import { describe, expect, it } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';
import type { StubScript } from '../../support/stub/platform.ts';
import { makeStubPlant, type StubPlant } from '../../support/stub/stub-plant.ts';

const PERSONS = '/openapi/persons/v1';
const HISTORY = '/openapi/objects/v1/properties/history';

const off = (...names: string[]) => Object.fromEntries(names.map((name) => [name, false]));
const onlyPersons = {
  streams: off(
    'users',
    'org_trees',
    'org_nodes',
    'org_persons',
    'org_node_persons',
    'objects',
    'object_properties',
    'networks',
    'network_nodes',
  ),
  runtime: [{ current: false, history: false }],
};

function makePlant(script: StubScript, config: object = onlyPersons): Promise<StubPlant> {
  return makeStubPlant(script, ({ postgres }) => ({ postgres, ...config }));
}

function platformOf({ config }: StubPlant): object {
  return (config as { platform: object }).platform;
}

async function runJson({ folder }: StubPlant, args: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(folder, [...args, '--json']);
  expect(stdout, stderr).toMatch(/^\{/);
  return { code, ...JSON.parse(stdout) };
}

describe('what was refused', () => {
  it('is listed, shown in full, and settled by a replay once the platform sends it right', async () => {
    const nameless = { name: null, showName: 'a\tperson' };
    const persons: object[] = [{ name: 'ann' }, nameless];
    const plant = await makePlant({ lists: { [PERSONS]: persons } });
    await runCommand(plant.folder, ['sync', 'persons']);

    const { code, rejects, open } = await runJson(plant, ['rejects']);
    expect({ code, open }).toEqual({ code: 0, open: { persons: 1 } });
    const [{ id }] = rejects;
    expect(rejects).toMatchObject([{ stream: 'persons', kind: 'record', resolved: false, sample: nameless }]);
    const list = await runCommand(plant.folder, ['rejects', '--stream', 'persons']);
    expect(list.stdout).toMatch(/^id +stream +kind +key +reason +count +first +last\n/);
    const shown = await runCommand(plant.folder, ['rejects', 'show', String(id)]);
    expect(shown.stdout).toMatch(/^reason .*name/m);
    expect(shown.stdout).toContain(JSON.stringify(nameless, null, 2));

    const inVain = await runJson(plant, ['rejects', 'replay']);
    expect(inVain).toMatchObject({ code: 3, cases: [{ id, outcome: 'refused', count: 2 }] });

    persons[1] = { name: 'bob', showName: 'a person' };
    const replayed = await runCommand(plant.folder, ['rejects', 'replay', String(id)]);
    expect(replayed.stdout).toMatch(/persons .* resolved[\s\S]*1 of 1 resolved/);
    expect(replayed.code).toBe(0);
    expect(await plant.databases.rows('select name from plant.persons order by name')).toEqual([
      'ann',
      'bob',
    ]);
    expect((await runJson(plant, ['rejects'])).rejects).toEqual([]);
    expect((await runJson(plant, ['rejects', 'list', '--all'])).rejects).toMatchObject([
      { id, resolved: true },
    ]);
  });

  it('is dismissed with a note, which the list and the case show', async () => {
    const plant = await makePlant({ lists: { [PERSONS]: [{ name: null }] } });
    await runCommand(plant.folder, ['sync', 'persons']);
    const [{ id }] = (await runJson(plant, ['rejects'])).rejects;
    const noteless = await runCommand(plant.folder, ['rejects', 'dismiss', String(id)]);
    expect(noteless).toMatchObject({ code: 2, stderr: expect.stringContaining('--note') });
    const unknown = await runCommand(plant.folder, ['rejects', 'dismiss', '999', '--note', 'x']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('usage.unknown_case') });
    const note = ['--note', 'ann: a person for tests'];
    const dismissed = await runCommand(plant.folder, ['rejects', 'dismiss', String(id), ...note]);
    expect(dismissed).toMatchObject({ code: 0, stdout: expect.stringContaining(`dismissed: ${id}`) });
    expect(await runJson(plant, ['rejects', 'dismiss', String(id), ...note])).toMatchObject({
      code: 0,
      dismissed: [],
      settled: [id],
    });
    expect((await runJson(plant, ['rejects'])).rejects).toEqual([]);
    const all = await runCommand(plant.folder, ['rejects', 'list', '--all']);
    expect(all.stdout).toMatch(/\(dismissed\) +ann: a person for tests/);
    const shown = await runCommand(plant.folder, ['rejects', 'show', String(id)]);
    expect(shown.stdout).toMatch(/^note +ann: a person for tests$/m);
    await runCommand(plant.folder, ['sync', 'persons']);
    expect((await runJson(plant, ['rejects'])).rejects).toMatchObject([{ resolved: false, count: 1 }]);
  });

  it('of details is asked for again, and nothing else', async () => {
    const broken = [true];
    const details: Record<string, object> = {
      [`${PERSONS}/ann`]: { name: 'ann', organizations: broken },
      [`${PERSONS}/bob`]: { name: 'bob', organizations: broken },
    };
    const persons = [{ name: 'ann' }, { name: 'bob' }];
    const plant = await makePlant({ lists: { [PERSONS]: persons }, details });
    await runCommand(plant.folder, ['sync', 'persons']);
    const { rejects } = await runJson(plant, ['rejects', '--stream', 'person_details']);
    expect(rejects).toHaveLength(2);
    const of = (key: string) => rejects.find((reject: { key: string }) => reject.key === key);

    details[`${PERSONS}/ann`] = { name: 'ann', organizations: [] };
    const asked = plant.stub.journal.length;
    const { code, cases } = await runJson(plant, ['rejects', 'replay', String(of('ann').id)]);
    expect({ code, cases }).toMatchObject({ code: 0, cases: [{ key: 'ann', outcome: 'resolved' }] });
    const paths = plant.stub.journal.slice(asked).map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith(PERSONS))).toEqual([`${PERSONS}/ann`]);
    expect((await runJson(plant, ['rejects', 'replay'])).cases).toMatchObject([
      { id: of('bob').id, outcome: 'refused' },
    ]);
  });

  it('stays open with the reason where the platform does not answer', async () => {
    let broken = false;
    const answer: StubScript['answer'] = ({ path }) =>
      broken && path === PERSONS ? { status: 500, body: { message: 'out of order' } } : undefined;
    const plant = await makePlant(
      { answer, lists: { [PERSONS]: [{ name: null }] } },
      { ...onlyPersons, limits: { maxRejects: 10 } },
    );
    plant.configure({ ...plant.config, platform: { ...platformOf(plant), retries: 0 } });
    await runCommand(plant.folder, ['sync', 'persons']);
    broken = true;
    const { code, cases } = await runJson(plant, ['rejects', 'replay']);
    expect({ code, cases }).toMatchObject({
      code: 3,
      cases: [{ outcome: 'open', note: expect.stringMatching('out of order'), count: 1 }],
    });
  });

  it('of history is read again where it lies', async () => {
    const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
    const stuck = at(85);
    const history = {
      'pump1.temp': [
        [at(90), 1],
        [stuck, 2],
        [at(80), 3],
      ] as [string, number][],
    };
    let garbled = true;
    const answer: StubScript['answer'] = (request, stub) => {
      if (request.path !== HISTORY || !garbled) return undefined;
      return { text: JSON.stringify(stub.defaultAnswer(request).body).replace(stuck, 'a while ago') };
    };
    const plant = await makePlant(
      { answer, history },
      { runtime: [{ objects: 'pump1', properties: 'temp', current: false, history: { start: '3h' } }] },
    );
    await runCommand(plant.folder, ['sync', 'history']);
    expect((await runJson(plant, ['rejects'])).rejects).toMatchObject([{ kind: 'point', key: 'pump1.temp' }]);
    expect(await plant.databases.count('samples')).toBe(2);

    garbled = false;
    const { code, cases } = await runJson(plant, ['rejects', 'replay', '--stream', 'history']);
    expect({ code, cases }).toMatchObject({ code: 0, cases: [{ key: 'pump1.temp', outcome: 'resolved' }] });
    expect(await plant.databases.rows('select value from plant.samples order by at')).toEqual([1, 2, 3]);
  });

  it('is asked for by its number; one that is unknown or wrong is named, and nothing is tried', async () => {
    const plant = await makePlant({});
    for (const [args, message] of [
      [['show', '77'], /There is no such case:\n {2}- 77/],
      [['replay', 'x', '-1'], /unknown option|Not the number of a case/],
      [['replay', '1', '--stream', 'persons'], /either --stream or the numbers/],
      [['list', '--stream', 'person'], /person: did you mean persons\?/],
    ] as const) {
      const { code, stderr } = await runCommand(plant.folder, ['rejects', ...args]);
      expect({ args, code, stderr }).toEqual({ args, code: 2, stderr: expect.stringMatching(message) });
    }
    expect(plant.stub.journal).toEqual([]);
    const nothing = await runCommand(plant.folder, ['rejects', 'replay']);
    expect(nothing).toMatchObject({ code: 0, stdout: expect.stringMatching('nothing to try again') });
  });
});
