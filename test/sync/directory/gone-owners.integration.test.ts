import { describe, expect, it } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';
import { makeStubPlant } from '../../support/stub/stub-plant.ts';
import type { StubAnswer, StubScript } from '../../support/stub/types.ts';

const OBJECTS = '/openapi/objects/v1';
const denial = (name: string): StubAnswer => ({
  status: 400,
  body: { code: '800001', message: `object ${name} does not exist` },
});

/**
 * Opens a plant whose objects are listed as `names`. For the objects in `answers` the platform gives those
 * answers.
 */
async function openPlant(names: readonly string[]) {
  const answers: Record<string, StubAnswer> = {};
  const script: StubScript = {
    lists: Object.fromEntries([
      [OBJECTS, names.map((name) => ({ name }))],
      ...names.map((name) => [`${OBJECTS}/${name}/properties`, [{ name: 'temp', primitiveType: 'Double' }]]),
    ]),
    details: Object.fromEntries(names.map((name) => [`${OBJECTS}/${name}`, { name }])),
    answer: ({ path, token }) => {
      const name = Object.keys(answers).find((each) => path.startsWith(`${OBJECTS}/${each}`));
      return token === undefined || name === undefined ? undefined : answers[name];
    },
  };
  const plant = await makeStubPlant(script);
  return {
    ...plant,
    script,
    answers,
    sync: (...streams: string[]) => runCommand(plant.folder, ['sync', ...streams]),
  };
}

describe('an object that is deleted after it was listed', () => {
  it('makes no sync partial, and is deleted by the next scans of its list', async () => {
    const { sync, answers, script, databases } = await openPlant(['pump1', 'pump2']);
    expect((await sync('objects', 'object_properties')).code).toBe(0);
    answers.pump2 = denial('pump2');
    for (const streams of [['object_details'], ['object_properties'], ['object_properties']]) {
      const { code, stdout } = await sync(...streams);
      expect(stdout).toMatch(/pump2 is gone since objects were listed/);
      expect(code).toBe(0);
    }
    const list = script.lists ?? {};
    list[OBJECTS] = [{ name: 'pump1' }];
    for (let scan = 1; scan <= 2; scan += 1) {
      const { code, stdout } = await sync('objects', 'object_properties');
      expect(code).toBe(0);
      expect(stdout).not.toMatch(/pump2/);
    }
    expect(await databases.rows('select name from plant.objects where deleted_at is not null')).toEqual([
      'pump2',
    ]);
    expect(await databases.rows("select key from plantsync.knowledge where key like 'denied%'")).toEqual([]);
  });

  it('is a problem once it is listed again', async () => {
    const { sync, answers } = await openPlant(['pump1', 'pump2']);
    answers.pump2 = denial('pump2');
    expect((await sync('objects', 'object_properties')).code).toBe(0);
    for (let scan = 1; scan <= 2; scan += 1) {
      const { code, stdout } = await sync('objects', 'object_properties');
      expect(stdout).toMatch(
        /pump2 is listed again, but the platform denies it: .*object pump2 does not exist/,
      );
      expect(code).toBe(3);
    }
    delete answers.pump2;
    expect((await sync('objects', 'object_properties')).code).toBe(0);
    answers.pump2 = denial('pump2');
    expect((await sync('objects', 'object_properties')).code).toBe(0);
  });

  it.each([
    ['another refusal', { status: 400, body: { code: '800001', message: 'operation failed' } }],
    ['a bare 404, which a gateway may have sent', { status: 404, body: { error: 'Not Found' } }],
  ])('is not known from %s', async (_, answer) => {
    const { sync, answers } = await openPlant(['pump1', 'pump2']);
    answers.pump2 = answer;
    const { code, stdout } = await sync('objects', 'object_properties');
    expect(stdout).toMatch(/object_properties: pump2: page 1, per_page 100: listObjectProperties/);
    expect(code).toBe(3);
  });

  it('is not known where the platform denies all of them', async () => {
    const { sync, answers } = await openPlant(['pump1', 'pump2']);
    for (const name of ['pump1', 'pump2']) answers[name] = denial(name);
    const { code, stdout } = await sync('objects', 'object_properties');
    expect(stdout).toMatch(/the platform refused all 2 of 2 rows that were asked for/);
    expect(code).toBe(3);
  });
});

it('an error inside a list names stream, operation, page and parameters', async () => {
  const plant = await makeStubPlant(
    {
      lists: { [OBJECTS]: Array.from({ length: 250 }, (_, k) => ({ name: `pump${k}` })) },
      answer: ({ path, query, token }) =>
        path === OBJECTS && query.get('page') === '3' && token !== undefined
          ? { status: 400, body: { code: '800003', message: 'no such page' } }
          : undefined,
    },
    ({ postgres }) => ({ postgres, streams: { objects: { filter: { objName: 'pump' } } } }),
  );
  const { code, stdout } = await runCommand(plant.folder, ['sync', 'objects']);
  expect(code).toBe(1);
  expect(stdout.replaceAll('\n', ' ')).toMatch(
    /objects: page 3, per_page 100, objName pump: listObjects \(GET \/openapi\/objects\/v1\) .*no such page/,
  );
});
