import { setLogger } from '@influxdata/influxdb-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors.ts';
import {
  createInfluxStore,
  type InfluxStore,
  openRetryClock,
} from '../../../../src/load/stores/influx/create-store.ts';
import type { InfluxOptions } from '../../../../src/load/stores/influx/options.ts';
import type { RetryClock } from '../../../../src/load/stores/influx/write-replies.ts';
import { silentLog } from '../../../../src/log.ts';
import { type Fence, withFence } from '../../../../src/postgres/fence.ts';
import { batchOf, secondsFrom, seriesPoints } from '../../../support/influx/influx-points.ts';
import {
  type InfluxRecorder,
  type RecordedRequest,
  startInfluxRecorder,
} from '../../../support/influx/influx-recorder.ts';

let recorder: InfluxRecorder;
let store: InfluxStore | undefined;
let commits = 0;
let slept: number[] = [];
let nowMs = 0;

const commit = async (): Promise<void> => void commits++;
/** A clock whose time passes only by sleeping. */
const pace: RetryClock = {
  now: () => nowMs,
  sleep: async (delayMs) => {
    slept.push(delayMs);
    nowMs += delayMs;
  },
  random: () => 0.5,
};

beforeEach(async () => {
  recorder = await startInfluxRecorder();
  commits = 0;
  slept = [];
  nowMs = Date.UTC(2024, 0, 1);
});

afterEach(async () => {
  await store?.close();
  await recorder.close();
});

function open(options: Partial<InfluxOptions> = {}): InfluxStore {
  const bucket: InfluxOptions = {
    url: recorder.url,
    version: 2,
    org: 'acme',
    bucket: 'plant',
    token: 'TScanary',
  };
  store = createInfluxStore({ ...bucket, ...options }, silentLog, pace);
  return store;
}

async function failureOf(work: Promise<unknown>): Promise<StoreError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof StoreError) return error;
  throw new Error(`expected a StoreError, got ${String(error)}`);
}

/** Answers like 2.x: refuses the whole request if `isBad` is true for one of its lines. */
function refuseLines(isBad: (line: string) => boolean): void {
  recorder.answer = ({ lines }) =>
    lines.some(isBad)
      ? {
          status: 422,
          body: {
            code: 'unprocessable entity',
            message: 'failure writing points: field type conflict dropped=1',
          },
        }
      : { status: 204 };
}

/** Returns the distinct lines of the requests that were answered with 204. */
function storedLines(isTaken: (request: RecordedRequest) => boolean): Set<string> {
  return new Set(
    recorder
      .writes()
      .filter(isTaken)
      .flatMap(({ lines }) => lines),
  );
}

it('gives others their turn among very many points that have no line', async () => {
  const count = 500_000;
  const points = {
    ...seriesPoints({}, []),
    // No such time can be stored exactly.
    times: Array<number>(count).fill(Number.MAX_SAFE_INTEGER + 1),
    values: Array<number>(count).fill(1),
    texts: Array<null>(count).fill(null),
    qualities: Array<null>(count).fill(null),
  };
  let turns = 0;
  const takeTurns = () => {
    turns += 1;
    turning = setImmediate(takeTurns);
  };
  let turning = setImmediate(takeTurns);
  const { refused } = await open().write(batchOf(points), commit);
  clearImmediate(turning);
  expect(refused).toMatchObject([{ count }]);
  expect(turns).toBeGreaterThan(3);
});

describe('what is sent', () => {
  it('goes to the 2.x write path with the token in a header, compressed', async () => {
    await open().write(batchOf(seriesPoints({}, secondsFrom(0, 100))), commit);
    const [request] = recorder.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/api/v2/write' });
    expect(Object.fromEntries(request?.query ?? [])).toEqual({
      org: 'acme',
      bucket: 'plant',
      precision: 'us',
    });
    expect(request?.headers).toMatchObject({ authorization: 'Token TScanary', 'content-encoding': 'gzip' });
    expect(request?.lines[1]).toBe('runtime,object=pump1,property=temp value=1 1000000');
  });

  it('goes to the 1.x write path with the login in a header, never in the address', async () => {
    const login = { version: 1, database: 'plant', username: 'me', password: 'p@ss:w/rd#1%' } as const;
    await open({ ...login, url: `${recorder.url}/gw` }).write(batchOf(seriesPoints({}, [[1, 2]])), commit);
    const [request] = recorder.requests;
    expect(request?.path).toBe('/gw/write');
    expect(Object.fromEntries(request?.query ?? [])).toEqual({ db: 'plant', precision: 'u' });
    const [scheme, code] = request?.headers.authorization?.split(' ') ?? [];
    expect([scheme, Buffer.from(code ?? '', 'base64').toString()]).toEqual(['Basic', 'me:p@ss:w/rd#1%']);
  });

  it('is cut into requests by lines and by bytes, without losing or repeating one', async () => {
    const points = seriesPoints({}, secondsFrom(0, 1_000));
    await open({ batchLines: 300 }).write(batchOf(points), commit);
    expect(recorder.writes().map(({ lines }) => lines.length)).toEqual([300, 300, 300, 100]);
    recorder.requests.length = 0;
    await open({ batchBytes: 10_000 }).write(batchOf(points), commit);
    expect(Math.max(...recorder.writes().map(({ body }) => body.length))).toBeLessThanOrEqual(10_000);
    expect(recorder.writes().flatMap(({ lines }) => lines)).toHaveLength(1_000);
    expect(storedLines(() => true).size).toBe(1_000);
  });

  it('is nothing more once the fence around the work has ended, not even the rest of a batch', async () => {
    let asked = 0;
    const fence: Fence = {
      hasEnded: false,
      checkSql: '',
      endedMessage: '',
      confirm: async () => {
        asked += 1;
        if (asked > 2) throw new StoreError('ledger.lease_ended', 'its lease has ended', { action: 'retry' });
      },
    };
    const failing = withFence(fence, () =>
      open({ batchLines: 300 }).write(batchOf(seriesPoints({}, secondsFrom(0, 1_000))), commit),
    );
    await expect(failing).rejects.toThrow('its lease has ended');
    expect(recorder.writes()).toHaveLength(2);
    expect(commits).toBe(0);
  });

  it('leaves out points without a value and counts them', async () => {
    const points = seriesPoints({}, [
      [1, null],
      [2, 5],
      [3, Number.NaN],
    ]);
    expect(await open().write(batchOf(points), commit)).toEqual({ written: 1, skipped: 2, refused: [] });
    expect(recorder.writes()[0]?.lines).toEqual(['runtime,object=pump1,property=temp value=5 2']);
  });

  it('is nothing at all for a range without points, which is committed', async () => {
    await open().write(batchOf(seriesPoints({}, [])), commit);
    expect([recorder.requests.length, commits]).toEqual([0, 1]);
  });

  it('keeps polled values in a measurement of their own', async () => {
    await open({ tags: { site: 'A' } }).writePolls([seriesPoints({}, [[1, 2]])]);
    expect(recorder.writes()[0]?.lines).toEqual([
      'runtime_polled,object=pump1,property=temp,site=A value=2 1',
    ]);
  });
});

describe('refused points', () => {
  it('are found among the others, which are all stored', async () => {
    const isBad = (line: string) => / 77000000$/.test(line) || / 801000000$/.test(line);
    refuseLines(isBad);
    const points = seriesPoints({ id: 42 }, secondsFrom(0, 1_000));
    const result = await open().write(batchOf(points), commit);
    expect(result.written).toBe(998);
    expect(result.refused).toEqual([
      {
        seriesId: 42,
        range: { from: 77_000_000, to: 801_000_001 },
        reason: 'failure writing points: field type conflict (HTTP 422)',
        count: 2,
        samples: ['1970-01-01T00:01:17.000000Z value=77', '1970-01-01T00:13:21.000000Z value=801'],
      },
    ]);
    expect(storedLines(({ lines }) => !lines.some(isBad)).size).toBe(998);
    expect(recorder.writes().length).toBeLessThanOrEqual(64);
    expect(commits).toBe(1);
  });

  it('stop the store with the words of the server when 64 requests cannot tell them apart', async () => {
    refuseLines((line) => / \d*[05]000000$/.test(line));
    const error = await failureOf(open().write(batchOf(seriesPoints({}, secondsFrom(0, 1_000))), commit));
    expect(error).toMatchObject({ action: 'stop' });
    expect(error.message).toMatch(/InfluxDB "plant" at 127.*field type conflict/);
    expect(recorder.writes().length).toBe(64);
    expect(commits).toBe(0);
  });

  it('need no search when the server says that it dropped every line of a request', async () => {
    recorder.answer = ({ lines }) => {
      const late = lines.filter((line) => Number(line.slice(line.lastIndexOf(' ') + 1)) < 400_000_000).length;
      const error = `partial write: points beyond retention policy dropped=${late}`;
      return late > 0 ? { status: 400, body: { error } } : { status: 204 };
    };
    const result = await open().write(batchOf(seriesPoints({}, secondsFrom(0, 1_000))), commit);
    expect([result.written, result.refused.map(({ count }) => count)]).toEqual([600, [400]]);
    expect(recorder.writes().length).toBeLessThan(25);
  });

  it('have one reason, however the server of 2.x words it for each request', async () => {
    recorder.answer = ({ lines }) => {
      const times = lines.map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
      const late = times.filter((time) => time < 400_000_000);
      const message =
        `partial write: dropped ${late.length} points outside retention policy of duration 2h0m0s - oldest point runtime at ` +
        `${late[0]} dropped because it violates a Retention Policy Lower Bound, newest point runtime at ${late.at(-1)} dropped ` +
        `because it violates a Retention Policy Lower Bound dropped=${late.length} for database: b for retention policy: autogen`;
      return late.length > 0 ? { status: 422, body: { message } } : { status: 204 };
    };
    const result = await open({ version: 2 }).write(batchOf(seriesPoints({}, secondsFrom(0, 1_000))), commit);
    expect(result).toMatchObject({
      written: 600,
      refused: [
        {
          count: 400,
          reason: 'partial write: dropped points outside retention policy of duration 2h0m0s (HTTP 422)',
        },
      ],
    });
  });

  it('are told of by 3.x with status 201, which the client alone takes for success', async () => {
    recorder.answer = ({ lines }) =>
      lines.some((line) => line.endsWith(' 2'))
        ? {
            status: 201,
            body: {
              error: 'partial write of line protocol occurred',
              data: [{ line_number: 1, error_message: 'bad column type' }],
            },
          }
        : { status: 204 };
    const points = seriesPoints({}, [
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    const result = await open({ version: 3 }).write(batchOf(points), commit);
    expect(result.written).toBe(2);
    expect(result.refused[0]?.reason).toBe(
      'partial write of line protocol occurred: bad column type (HTTP 201)',
    );
  });

  it('include those that cannot be written as a line, without asking the server', async () => {
    const result = await open().write(
      batchOf(
        seriesPoints({ id: 7, object: 'x'.repeat(70_000) }, [[1, 1]]),
        seriesPoints({}, [
          [2 ** 53, 1],
          [5, 5],
        ]),
      ),
      commit,
    );
    expect(result).toMatchObject({
      written: 1,
      refused: [
        { seriesId: 7, count: 1 },
        { seriesId: 1, count: 1 },
      ],
    });
    expect(recorder.writes()[0]?.lines).toHaveLength(1);
  });
});

describe('a request that is too large', () => {
  it('is halved, and the next requests are cut smaller', async () => {
    recorder.answer = ({ body }) => ({ status: body.length > 6_000 ? 413 : 204 });
    const result = await open({ batchLines: 500 }).write(
      batchOf(seriesPoints({}, secondsFrom(0, 1_000))),
      commit,
    );
    expect(result).toEqual({ written: 1_000, skipped: 0, refused: [] });
    expect(recorder.writes().filter(({ body }) => body.length > 6_000).length).toBeLessThanOrEqual(9);
    expect(storedLines(({ body }) => body.length <= 6_000).size).toBe(1_000);
  });

  it('of one line is a refused point', async () => {
    recorder.answer = ({ body }) => (body.length > 6_000 ? { status: 413 } : { status: 204 });
    const points = seriesPoints({}, [
      [1, 'a'],
      [2, 'x'.repeat(7_000)],
      [3, 'c'],
    ]);
    const result = await open().write(batchOf(points), commit);
    expect([result.written, result.refused[0]?.range]).toEqual([2, { from: 2, to: 3 }]);
    expect(result.refused[0]?.reason).toMatch('413');
  });
});

describe('a server that is busy or away', () => {
  it('is waited for as long as it asks', async () => {
    const replies = [{ status: 429, headers: { 'retry-after': '7' } }, { status: 503 }, { status: 204 }];
    recorder.answer = () => replies.shift() ?? { status: 204 };
    const result = await open().write(batchOf(seriesPoints({}, [[1, 1]])), commit);
    expect([result.written, slept]).toEqual([1, [7_000, 250]]);
  });

  it('understands a date in Retry-After', async () => {
    const replies = [{ status: 503, headers: { 'retry-after': new Date(nowMs + 4_000).toUTCString() } }];
    recorder.answer = () => replies.shift() ?? { status: 204 };
    await open().write(batchOf(seriesPoints({}, [[1, 1]])), commit);
    expect(slept).toEqual([4_000]);
  });

  it.each([
    ['503', { status: 503, body: { error: 'engine is closed' } }, /engine is closed \(HTTP 503\)/],
    ['a cut connection', 'reset', /ECONNRESET|socket hang up/],
    ['silence', 'silence', /no complete reply within 0.05 s/],
  ] as const)('fails the write for a later try after the time set: %s', async (_, reply, words) => {
    recorder.answer = () => reply;
    const options = { retryForMs: 1_000, timeoutMs: 50 };
    const error = await failureOf(open(options).write(batchOf(seriesPoints({}, [[1, 1]])), commit));
    expect(error.action).toBe('retry');
    expect(error.message).toMatch(words);
    expect(recorder.writes().length).toBeGreaterThan(1);
    expect(commits).toBe(0);
  });

  it('is not waited for longer than the time set', async () => {
    recorder.answer = () => ({ status: 503, headers: { 'retry-after': '3600' } });
    const error = await failureOf(open().write(batchOf(seriesPoints({}, [[1, 1]])), commit));
    expect([error.action, slept]).toEqual(['retry', []]);
  });

  it('commits nothing when a later chunk fails', async () => {
    recorder.answer = () => ({ status: recorder.writes().length > 2 ? 500 : 204 });
    const points = seriesPoints({}, secondsFrom(0, 100));
    const error = await failureOf(open({ batchLines: 10 }).write(batchOf(points), commit));
    expect([error.action, commits]).toEqual(['retry', 0]);
  });
});

describe('a server that refuses', () => {
  it.each([
    [401, { code: 'unauthorized', message: 'unauthorized access' }, /unauthorized access.*Check the token/],
    [
      403,
      { code: 'forbidden', message: 'insufficient permissions' },
      /insufficient permissions.*Check the token/,
    ],
    [404, { code: 'not found', message: 'bucket "plant" not found' }, /bucket "plant" not found/],
    [200, '<html>', /200/],
    [301, '', /301/],
  ])('stops the store at once: %i', async (status, body, words) => {
    recorder.answer = () => ({ status, body });
    const error = await failureOf(open().write(batchOf(seriesPoints({}, [[1, 1]])), commit));
    expect(error).toMatchObject({ action: 'stop', message: expect.stringContaining('plant') });
    expect(error.message).toMatch(words);
    expect(JSON.stringify([error, error.message, error.stack, error.cause])).not.toMatch('TScanary');
    expect([recorder.writes().length, commits]).toEqual([1, 0]);
  });
});

it('leaves the logger of the client library nothing to print', async () => {
  const printed: string[] = [];
  const before = setLogger({
    error: (message) => printed.push(message),
    warn: (message) => printed.push(message),
  });
  recorder.answer = () => ({ status: 401 });
  await failureOf(open().write(batchOf(seriesPoints({}, [[1, 1]])), commit));
  setLogger(before);
  expect(printed).toEqual([]);
});

describe('waiting for a server that is away', () => {
  it('ends when it is told to, with an error that says so', async () => {
    const told = new AbortController();
    const away = createInfluxStore(
      { url: 'http://127.0.0.1:9', version: 1, database: 'plant' },
      silentLog,
      openRetryClock(told.signal),
    );
    const failure = failureOf(away.write(batchOf(seriesPoints({}, [[1e9, 1]])), commit));
    told.abort();
    expect((await failure).message).toMatch(/wait for it was ended/);
    expect(commits).toBe(0);
    await away.close();
  });
});
