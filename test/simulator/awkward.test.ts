import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PlainRecord } from '../../src/simulator/values.ts';
import { openSession, type Session } from './session.ts';

let session: Session;
afterEach(() => session.simulator.close());

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
const objectDetails = (): PlainRecord[] => {
  const { truth } = session.simulator;
  return truth
    .records('listObjects')
    .map(({ name }) => truth.reply('getObject', { path: { objName: String(name) } }));
};
const entriesOf = (member: string) => objectDetails().map((object) => object[member] as PlainRecord[]);

describe('the details of objects', () => {
  beforeEach(async () => {
    session = await openSession({ size: 'small' });
  });

  test.each(['events', 'features', 'services', 'subscriptions'])('have %s, of different number', (member) => {
    const lengths = entriesOf(member).map(({ length }) => length);
    expect(new Set(lengths).size).toBeGreaterThan(1);
    expect(lengths).toContain(0);
  });

  test('have services of up to five inputs, some without output, some with a script of 20 kB', () => {
    const services = entriesOf('services').flat();
    const inputs = services.map((service) => (service.inputs as unknown[] | undefined)?.length ?? -1);
    expect(new Set(inputs)).toEqual(new Set([-1, 0, 1, 2, 3, 4, 5]));
    expect(services.some(({ output }) => output === undefined)).toBe(true);
    expect(Math.max(...services.map(({ script }) => String(script).length))).toBeGreaterThan(20_000);
  });

  test('have properties of lists, with fields within fields and defaults of every JSON type', () => {
    const properties = entriesOf('properties').flat();
    expect(new Set(properties.map(({ structType }) => structType))).toEqual(new Set([0, 1]));
    const types = properties.map(({ defaultValue }) => {
      const { value } = defaultValue as PlainRecord;
      return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
    });
    expect(new Set(types)).toEqual(
      new Set(['undefined', 'number', 'string', 'boolean', 'null', 'list', 'object']),
    );
    session.simulator.addProperty('Pump_00000', { name: 'own', commonTypeValues: { fields: [] } });
    expect(session.simulator.truth.count('listObjectProperties', { path: { objName: 'Pump_00000' } })).toBe(
      9,
    );
  });
});

test('the texts of an awkward plant are long, and hold what few stores can', async () => {
  session = await openSession({ size: 'medium', awkward: true });
  const { truth } = session.simulator;
  const texts = textsIn([...truth.records('listObjects'), ...truth.records('listPersons')]);
  const lengths = texts.map(({ length }) => length);
  expect(lengths).toContain(10_000);
  expect(Math.max(...lengths)).toBeGreaterThan(20_000);
  expect(texts.some((text) => text.includes('\u0000'))).toBe(true);
  expect(texts.some((text) => !text.isWellFormed())).toBe(true);
  const names = truth.records('listObjects').map(({ name }) => String(name).length);
  expect(Math.max(...names)).toBeGreaterThan(200);
});

test('records of an awkward plant lack members or have them in another type', async () => {
  session = await openSession({ size: 'medium', awkward: true });
  const statuses = session.simulator.truth.records('listObjects').map(({ status }) => typeof status);
  expect(new Set(statuses)).toEqual(new Set(['boolean', 'undefined', 'string', 'number', 'object']));
});

test('a malformed plant shows entries twice, without a key and with an endless one, but only then', async () => {
  session = await openSession({ size: 'tiny' });
  const path = '/openapi/persons/v1?per_page=4';
  const well = (await session.json(path)).list as PlainRecord[];
  await session.simulator.close();
  session = await openSession({ size: 'tiny', malformed: true });
  const reply = await session.json(path);
  expect(reply.pagination).toMatchObject({ total: 8 });
  const [older, first, keyless, endless] = reply.list as PlainRecord[];
  expect([older?.name, older?.showName, keyless?.name, String(endless?.name).length]).toEqual([
    well[0]?.name,
    'an older one',
    null,
    10_000,
  ]);
  expect(first).toEqual({ ...well[0], vendorExtra: { 'a "b"': [1, null, '\u0000'] } });
  expect(session.simulator.truth.records('listPersons', { limit: 4 })).toEqual(reply.list);
  const users = (await session.json('/openapi/users/v1')).list as PlainRecord[];
  expect(users.map(({ username }) => username)).toContain(null);
});
