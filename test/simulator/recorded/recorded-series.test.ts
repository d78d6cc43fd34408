import { describe, expect, onTestFinished, test } from 'vitest';
import type { SimulatorOptions } from '../../../src/simulator/simulator-options.ts';
import { startSimulator } from '../../../src/simulator/start-simulator.ts';
import { between, values } from '../history-session.ts';
import { openSession, type Session } from '../session.ts';
import { writeCsv } from './recorded-session.ts';

const nowMs = Date.UTC(2024, 4, 1);
const hour = (hours: number) => `2011-01-01T0${hours}:00:00Z`;
const csv = [
  'timestamp,NOX,state,Größe [µm]',
  '2011-01-01 00:00:00,81.952,on,1',
  '2011-01-01 01:00:00,82.377,,2',
  '2011-01-01 02:00:00,60,off,3',
  '2011-01-01 02:00:00,60.38,off,4',
  '2024-05-01 00:00:01,5,on,5',
].join('\n');

/** Opens a session with the file replayed as object `turbine 1`. Both are gone when the test ends. */
async function open(options: SimulatorOptions = {}): Promise<Session> {
  const path = await writeCsv('turbine 1.csv', csv);
  const session = await openSession({ nowMs: () => nowMs, replay: [{ path }], ...options });
  onTestFinished(() => session.simulator.close());
  return session;
}

async function readHistory(session: Session, select: string[], extra: object = {}) {
  const { text } = await session.post('/openapi/objects/v1/properties/history', { select, ...extra });
  return JSON.parse(text).results;
}

describe('a replayed file', () => {
  test('is an object of the lists, called like the file, with a property per column', async () => {
    const { names, json, simulator } = await open();
    expect((await names('/openapi/objects/v1')).at(-1)).toBe('turbine 1');
    const ofObject = '/openapi/objects/v1/turbine%201';
    expect(await names(`${ofObject}/properties`)).toEqual(['NOX', 'state', 'Größe [µm]']);
    expect((await json(ofObject)).properties).toMatchObject([
      { name: 'NOX', primitiveType: 'Double', persisted: true, logged: true },
      { name: 'state', primitiveType: 'String' },
      { name: 'Größe [µm]', primitiveType: 'Double' },
    ]);
    expect(simulator.replayed).toMatchObject([
      {
        object: 'turbine 1',
        properties: ['NOX', 'state', 'Größe [µm]'],
        rows: 5,
        firstMs: Date.parse(hour(0)),
        lastMs: nowMs + 1000,
      },
    ]);
  });

  test('has its rows up to now as history', async () => {
    const results = await readHistory(await open(), [
      '"turbine 1.NOX"',
      '"turbine 1.state"',
      '"turbine 1.Größe [µm]"',
    ]);
    expect(results.map(({ datas }: { datas: unknown }) => datas)).toEqual([
      [
        [hour(0), 81.952],
        [hour(1), 82.377],
        [hour(2), 60],
        [hour(2), 60.38],
      ],
      [
        [hour(0), 'on'],
        [hour(2), 'off'],
        [hour(2), 'off'],
      ],
      [
        [hour(0), 1],
        [hour(1), 2],
        [hour(2), 3],
        [hour(2), 4],
      ],
    ]);
  });

  test('obeys bounds, functions and every dialect like any other series', async () => {
    const session = await open({
      dialect: { historyOrder: 'descending', limitMeaning: 'total', hiddenCap: 2 },
    });
    const select = ['"turbine 1.NOX"', '"turbine 1.state"'];
    expect(values(await readHistory(session, select, { limit: 5 }))).toEqual([[60.38, 60], ['off']]);
    session.simulator.setDialect({ historyOrder: 'ascending', hiddenCap: null, numbersAs: 'string' });
    const bounds = between({ ge: hour(1), lt: hour(2) });
    expect(values(await readHistory(session, select, bounds))).toEqual([['82.377'], []]);
    const mean = await readHistory(session, ['mean("turbine 1.NOX")'], {
      ...between({ ge: hour(2), lt: hour(3) }),
      groupBy: { time: '1h,0s' },
    });
    expect(values(mean)).toEqual([['60.19']]);
  });

  test('has its last row up to now as current values', async () => {
    const session = await open();
    const current = async () => {
      const params = ['turbine 1.NOX', 'turbine 1.state'];
      return JSON.parse((await session.post('/openapi/objects/v1/properties/current', { params })).text);
    };
    expect(await current()).toEqual({ 'turbine 1.NOX': 60.38, 'turbine 1.state': 'off' });
    session.simulator.setDialect({ lateBySec: 10 });
    expect(await current()).toMatchObject({ 'turbine 1.NOX': 60.38 });
  });

  test('is part of the truth', async () => {
    const { truth } = (await open()).simulator;
    expect([...truth.series()].filter(({ object }) => object === 'turbine 1')).toHaveLength(3);
    expect(truth.history('turbine 1.state', 0, nowMs).map(([, value]) => value)).toEqual([
      'on',
      'off',
      'off',
    ]);
  });

  test('takes another name, and is refused where the plant has an object of its name', async () => {
    const path = await writeCsv('given.csv', csv);
    const session = await openSession({ replay: [{ path, object: 'a/b' }] });
    onTestFinished(() => session.simulator.close());
    expect(await session.names('/openapi/objects/v1/a%2Fb/properties')).toContain('NOX');
    const [taken] = await session.names('/openapi/objects/v1');
    for (const object of [taken, 'twice']) {
      const replay = [
        { path, object: 'twice' },
        { path, object },
      ];
      await expect(startSimulator({ size: 'tiny', replay })).rejects.toThrow(
        `there is an object ${object} already; name another`,
      );
    }
  });
});
