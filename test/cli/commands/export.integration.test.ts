import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InterruptedError } from '../../../src/errors.ts';
import { runCommand } from '../../support/program/run-command.ts';
import { noAlarms, onlyStreams } from '../../support/stream-switches.ts';
import { makeStubPlant, type StubPlant } from '../../support/stub/stub-plant.ts';

const range = ['--from', '2024-05-01', '--to', '2024-05-02'];
const at = (time: string) => `2024-05-01T${time}Z`;

/** Makes a plant with awkward values, whose day is loaded into Postgres and InfluxDB. */
async function makeFilledPlant(): Promise<StubPlant> {
  const property = (name: string, primitiveType: string) => ({ name, primitiveType, persisted: true });
  const plant = await makeStubPlant(
    {
      lists: {
        '/openapi/objects/v1': [{ name: 'pump1' }, { name: '水泵,"2"' }],
        '/openapi/objects/v1/pump1/properties': [
          property('count', 'Int64'),
          property('running', 'Boolean'),
          property('note', 'String'),
        ],
        [`/openapi/objects/v1/${encodeURIComponent('水泵,"2"')}/properties`]: [property('temp', 'Double')],
      },
      history: {
        'pump1.count': [
          [at('01:00:00'), '9007199254740993'],
          [at('02:00:00.000001'), 0.1],
          [at('03:00:00'), null],
        ],
        'pump1.running': [
          [at('01:00:00'), true],
          [at('02:00:00'), false],
        ],
        'pump1.note': [
          [at('01:00:00'), 'a "b", c\nd'],
          [at('02:00:00'), ''],
          [at('03:00:00'), '9007199254740993'],
        ],
        '水泵,"2".temp': [[at('01:30:00.5'), 1e21]],
      },
    },
    ({ postgres, influx }) => ({
      postgres,
      influx,
      alarms: noAlarms,
      streams: onlyStreams('objects', 'object_properties'),
      runtime: [{ objects: '*', properties: '*', current: false, history: { start: '1d' } }],
    }),
  );
  expect(await runCommand(plant.folder, ['backfill', ...range])).toMatchObject({ code: 0 });
  return plant;
}

const head = 'object,property,time,value,quality\n';
const count = [
  `pump1,count,${at('01:00:00')},9007199254740993,`,
  `pump1,count,${at('02:00:00.000001')},0.1,`,
  `pump1,count,${at('03:00:00')},,null`,
];

describe('plantsync export', () => {
  it('writes all points of the series that match, with every digit, and says how many', async () => {
    const { folder } = await makeFilledPlant();
    const { code, stdout, stderr } = await runCommand(folder, ['export', ...range]);
    expect(stdout).toBe(
      `${head}${[
        ...count,
        `pump1,note,${at('01:00:00')},"a ""b"", c\nd",`,
        `pump1,note,${at('02:00:00')},"",`,
        `pump1,note,${at('03:00:00')},9007199254740993,`,
        `pump1,running,${at('01:00:00')},true,`,
        `pump1,running,${at('02:00:00')},false,`,
        `"水泵,""2""",temp,${at('01:30:00.500')},1e+21,`,
      ].join('\n')}\n`,
    );
    expect(stderr).toContain('9 points of 4 series from postgres:plant\n');
    expect(code).toBe(0);

    const lines = await runCommand(folder, [
      ...['export', '--from', at('00:00:00'), '--to', at('23:00:00')],
      ...['--object', 'pump*', '--property', '{count,note}'],
      ...['--store', 'influx', '--format', 'jsonl', '--timezone', 'Asia/Shanghai'],
    ]);
    expect(lines).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/\n5 points of 2 series from influx:/),
    });
    expect(lines.stdout.split('\n')).toEqual([
      '{"object":"pump1","property":"count","time":"2024-05-01T09:00:00+08:00","value":9007199254740993}',
      '{"object":"pump1","property":"count","time":"2024-05-01T10:00:00.000001+08:00","value":0.1}',
      '{"object":"pump1","property":"note","time":"2024-05-01T09:00:00+08:00","value":"a \\"b\\", c\\nd"}',
      '{"object":"pump1","property":"note","time":"2024-05-01T10:00:00+08:00","value":""}',
      '{"object":"pump1","property":"note","time":"2024-05-01T11:00:00+08:00","value":"9007199254740993"}',
      '',
    ]);
  });

  it('ends with 3 where a part of the range is not stored, and names it', async () => {
    const { folder } = await makeFilledPlant();
    const wider = ['export', '--from', '2024-05-01T12:00:00Z', '--to', '2024-05-03', '--object', 'pump1'];
    const { code, stdout, stderr } = await runCommand(folder, wider);
    expect({ code, stdout }).toEqual({ code: 3, stdout: head });
    expect(stderr).toContain('the range is not wholly stored');
    expect(stderr).toMatch(
      /postgres:plant +history +2024-05-02T00:00:00Z +2024-05-03T00:00:00Z +pump1.count, /,
    );
    const none = await runCommand(folder, ['export', ...range, '--object', 'pump9']);
    expect(none).toMatchObject({ code: 3, stdout: head, stderr: expect.stringContaining('--object pump9') });
  });

  it('writes a file as a whole: the older one stays until then, and nothing else is left', async () => {
    const { folder } = await makeFilledPlant();
    const file = join(folder, 'points.csv.gz');
    const args = ['export', ...range, '--property', 'count', '--output', file];
    const { code, stdout } = await runCommand(folder, [...args, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      range: { from: at('00:00:00'), to: '2024-05-02T00:00:00Z' },
      store: 'postgres:plant',
      stream: 'history',
      output: file,
      points: 3,
      series: 1,
      matched: 1,
      behindSec: 0,
      missing: [],
    });
    const whole = `${head}${count.join('\n')}\n`;
    expect(gunzipSync(readFileSync(file)).toString()).toBe(whole);

    const before = readdirSync(folder);
    const ended = new AbortController();
    const { signal } = ended;
    ended.abort(new InterruptedError());
    const interrupted = await runCommand(folder, args, { signal });
    expect(interrupted.code).toBe(130);
    expect(readdirSync(folder)).toEqual(before);
    expect(gunzipSync(readFileSync(file)).toString()).toBe(whole);
  });

  it('ends quietly where the reader has seen enough', async () => {
    const { folder } = await makeFilledPlant();
    const ended = new AbortController();
    ended.abort(new InterruptedError('interrupted.output_closed', 'nobody reads the output any more'));
    const { code, stderr } = await runCommand(folder, ['export', ...range], { signal: ended.signal });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('interrupted') });
  });

  it.each([
    [['export'], /--from TIME is missing/],
    [
      ['export', ...range, '--store', 'mongo'],
      /no store mongo; history is in postgres \(postgres:plant\) and influx/,
    ],
    [['export', ...range, '--stream', 'current'], /--stream current/],
    [['export', ...range, '--json'], /give --output FILE/],
    [['export', ...range, '--timezone', 'CST'], /--timezone/],
  ])('refuses %j', async (args, message) => {
    const plant = await makeStubPlant({}, ({ postgres, influx }) => ({ postgres, influx }));
    onTestFinished(() => plant.stub.close());
    const { code, stderr, stdout } = await runCommand(plant.folder, args);
    expect(stdout + stderr).toMatch(message);
    expect(code).toBe(2);
  });
});
