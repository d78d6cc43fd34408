import { describe, expect, it } from 'vitest';
import { askInflux } from '../../support/influx/ask-influx.ts';
import { openInfluxReader } from '../../support/influx/influx-reader.ts';
import { onlyStreams } from '../../support/stream-switches.ts';
import { makeStubPlant, onlyHistoryOf } from '../../support/stub/stub-plant.ts';

type Rows = [time: string, value: unknown][];

const startMs = Date.UTC(2024, 4, 1);
const day = ['backfill', '--from', '2024-05-01T00:00:00Z', '--to', '2024-05-02T00:00:00Z'];
const rowsOf = (values: readonly unknown[], stepMs: number): Rows =>
  values.map((value, k) => [new Date(startMs + k * stepMs).toISOString(), value]);
const secondOf = (at: number) => (at - startMs * 1000) / 1e6;

/** Makes a plant whose history goes to both stores. */
const plantWith = (history: Record<string, Rows>, more: object = {}) =>
  makeStubPlant({ history, ...more }, ({ postgres, influx }) => ({
    postgres,
    influx,
    ...onlyHistoryOf(Object.keys(history)),
  }));

describe('values', () => {
  it('that are whole numbers first and decimals later go to one field, also in two runs', async () => {
    const temp = [20, 20.1, 21, 0, -0.5];
    const history = { 'pump1.temp': rowsOf(temp, 60_000), 'pump1.flow': rowsOf([20.5, 21], 60_000) };
    const atOnce = await plantWith(history);
    expect(await atOnce.run(day)).toMatchObject({ code: 0 });

    const inTwo = await plantWith({
      'pump1.temp': history['pump1.temp'].slice(0, 1),
      'pump1.flow': history['pump1.flow'].slice(0, 1),
    });
    expect(await inTwo.run([...day.slice(0, 4), '2024-05-01T00:01:00Z'])).toMatchObject({ code: 0 });
    Object.assign(inTwo.stub.script, { history });
    expect(await inTwo.run(day)).toMatchObject({ code: 0 });

    for (const { databases } of [atOnce, inTwo]) {
      expect((await databases.influxPoints('pump1.temp')).values).toEqual(temp);
      expect(await databases.rows('select count(*) from plantsync.rejects')).toEqual([0]);
      expect(await databases.rows('select sum(value) from plant.samples')).toEqual([60.6 + 41.5]);
    }
    expect((await atOnce.databases.influxPoints('pump1.flow')).values).toEqual([20.5, 21]);
  });

  it('that are no numbers never become any, and do not keep the others out', async () => {
    const odd = ['NaN', 'Infinity', null, '', '12.5', '12,5', true, 'ON', '1e-5', '0x1F'];
    const ordinary = Array.from({ length: 100 }, (_, k) => k);
    const plant = await makeStubPlant(
      {
        lists: {
          '/openapi/objects/v1': [{ name: 'pump1' }],
          '/openapi/objects/v1/pump1/properties': ['temp', 'flow'].map((name) => ({
            ...{ name, primitiveType: 'Double', persisted: true },
          })),
        },
        history: { 'pump1.temp': rowsOf(odd, 1_000), 'pump1.flow': rowsOf(ordinary, 1_000) },
      },
      ({ postgres, influx }) => ({
        ...{ postgres, influx, streams: onlyStreams('objects', 'object_properties') },
        runtime: [{ current: false }],
      }),
    );
    expect(await plant.run(['sync', 'objects', 'object_properties'])).toMatchObject({ code: 0 });
    expect(await plant.run(day)).toMatchObject({ code: 0 });
    expect((await plant.databases.influxPoints('pump1.flow')).values).toEqual(ordinary);
    const { times, values, texts } = await plant.databases.influxPoints('pump1.temp');
    const numbers = times.flatMap((at, k) => (values[k] === null ? [] : [[secondOf(at), values[k]]]));
    expect(numbers).toEqual([
      [4, 12.5],
      [8, 0.00001],
    ]);
    // Where the column is a number and the value is none, the text of the value is kept.
    const kept = times.flatMap((at, k) => (texts[k] === null ? [] : [[secondOf(at), texts[k]]]));
    expect(kept).toEqual([
      [3, ''],
      [5, '12,5'],
      [6, 'true'],
      [7, 'ON'],
      [9, '0x1F'],
    ]);
    const rows = await plant.databases.rows(
      `select extract(epoch from at)::int - ${startMs / 1000}, value from plant.samples join plant.series using (series_id)
       where property = 'temp' order by at`,
    );
    expect(rows).toEqual(odd.map((_, k) => [k, k === 4 ? 12.5 : k === 8 ? 0.00001 : null]));
  });

  it('of series whose names need escapes are found by these names, and leave nothing else behind', async () => {
    const object = 'Pump 1,A=B\\';
    const note = 'He said "stop"\nline 2\\';
    const instant = rowsOf([0], 1_000)[0]?.[0] ?? '';
    const plant = await makeStubPlant(
      {
        lists: {
          '/openapi/objects/v1': [{ name: object, showName: '' }],
          [`/openapi/objects/v1/${encodeURIComponent(object)}/properties`]: [
            { name: 'POA [W/m²]', primitiveType: 'Double', persisted: true },
            { name: 'Volume Flow RateRMS', primitiveType: 'Double', persisted: true },
            { name: 'note', primitiveType: 'String', persisted: true },
          ],
        },
        history: {
          [`${object}.POA [W/m²]`]: [[instant, 1.5]],
          [`${object}.Volume Flow RateRMS`]: [[instant, 2.5]],
          [`${object}.note`]: [[instant, note]],
        },
      },
      ({ postgres, influx }) => ({
        ...{ postgres, influx, streams: onlyStreams('objects', 'object_properties') },
        runtime: [{ current: false }],
      }),
    );
    expect(await plant.run(['sync', 'objects', 'object_properties'])).toMatchObject({ code: 0 });
    expect(await plant.run(day)).toMatchObject({ code: 0 });
    const reader = openInfluxReader(plant.databases.sections.influx);
    try {
      const always = { from: 0, to: 4e15 };
      expect(await reader.points({ object, property: 'POA [W/m²]' }, always)).toMatchObject({
        values: [1.5],
      });
      expect(await reader.points({ object, property: 'Volume Flow RateRMS' }, always)).toMatchObject({
        values: [2.5],
      });
      expect(await reader.points({ object, property: 'note' }, always)).toMatchObject({ texts: [note] });
    } finally {
      await reader.close();
    }
    const show = (what: string) =>
      askInflux(plant.databases.sections.influx, '/query', { q: `show ${what}` });
    expect(await show('measurements')).toContain('[["runtime"]]');
    expect(await show('tag keys')).toContain('[["object"],["property"]]');
    expect(await show('field keys')).toContain('[["text","string"],["value","float"]]');
    expect(await plant.databases.rows('select name, show_name from plant.objects')).toEqual([[object, '']]);
  });

  it('of several series at one instant stand beside each other', async () => {
    const plant = await plantWith({
      'pump1.temp': rowsOf([1], 1_000),
      'pump1.flow': rowsOf([2], 1_000),
      'pump2.temp': rowsOf([3], 1_000),
    });
    expect(await plant.run(day)).toMatchObject({ code: 0 });
    for (const [name, value] of [
      ['pump1.temp', 1],
      ['pump1.flow', 2],
      ['pump2.temp', 3],
    ] as const)
      expect(await plant.databases.influxPoints(name)).toMatchObject({
        times: [startMs * 1000],
        values: [value],
      });
    expect(await plant.databases.rows('select value from plant.samples order by value')).toEqual([1, 2, 3]);
  });
});

describe('two alarms of one object at one instant', () => {
  it('are two rows, of which one is acknowledged', async () => {
    const alarm = {
      ...{ sourceObjName: 'pump1', showName: 'hot', alarmType: 'GT' },
      ...{ startTime: '2024-05-01T00:00:00Z', ackStatus: 0 },
    };
    const list: object[] = [
      { ...alarm, sourcePropName: 'temp' },
      { ...alarm, sourcePropName: 'flow' },
    ];
    const plant = await makeStubPlant({ lists: { '/openapi/alarms/v1/current': list } }, ({ postgres }) => ({
      postgres,
      streams: onlyStreams(),
      runtime: [],
      alarms: { history: false },
    }));
    const stored = () =>
      plant.databases.rows('select property, is_acknowledged from plant.alarms order by property');
    expect(await plant.run(['sync', 'alarms'])).toMatchObject({ code: 0 });
    expect(await stored()).toEqual([
      ['flow', false],
      ['temp', false],
    ]);
    list[0] = { ...list[0], ackStatus: 1, ackTime: '2024-05-01T00:05:00Z' };
    expect(await plant.run(['sync', 'alarms'])).toMatchObject({ code: 0 });
    expect(await stored()).toEqual([
      ['flow', false],
      ['temp', true],
    ]);
  });
});
