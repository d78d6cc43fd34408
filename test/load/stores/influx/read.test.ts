import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors.ts';
import { createInfluxStore, type InfluxStore } from '../../../../src/load/stores/influx/create-store.ts';
import type { InfluxOptions } from '../../../../src/load/stores/influx/options.ts';
import type { PointStore, Stretch } from '../../../../src/load/stores/store.ts';
import { silentLog } from '../../../../src/log.ts';
import type { Series, SeriesPoints } from '../../../../src/series/types.ts';
import { type InfluxRecorder, startInfluxRecorder } from '../../../support/influx/influx-recorder.ts';

const temp: Series = { id: 1, object: 'pump 1\\', property: "te'mp", primitiveType: 'Double' };
const note: Series = { id: 2, object: 'pump2', property: 'note', primitiveType: 'String' };
const stretch = { stream: 'history', series: [temp, note], range: { from: 1_000_000, to: 2_000_000 } };

let recorder: InfluxRecorder;
let store: InfluxStore;

beforeEach(async () => {
  recorder = await startInfluxRecorder();
});
afterEach(async () => {
  await store.close();
  await recorder.close();
});

function open(options: Partial<InfluxOptions> = {}): PointStore {
  const bucket = { url: recorder.url, version: 2 as const, org: 'acme', bucket: 'plant', token: 'TScanary' };
  store = createInfluxStore({ ...bucket, ...options }, silentLog);
  return store;
}

async function readAll(from: PointStore, what: Stretch = stretch): Promise<SeriesPoints[]> {
  const parts: SeriesPoints[] = [];
  for await (const part of from.read(what)) parts.push(part);
  return parts;
}

/** Makes one line of an answer in parts. */
const chunk = (tags: Record<string, string>, values: unknown[][], partial = false) =>
  `${JSON.stringify({ results: [{ statement_id: 0, series: [{ name: 'runtime', tags, columns: ['time', 'value', 'text'], values, partial }] }] })}\n`;

const pump1 = { object: 'pump 1␛5C', property: "te'mp" };
const pump2 = { object: 'pump2', property: 'note' };

/** Answers every question with the names of tags, and each query for points with `body`. */
const answerQueries = (body: string, tags = ['object', 'property']) => {
  recorder.answer = (request) => {
    const statement = new URLSearchParams(request.body).get('q') ?? '';
    if (!statement.startsWith('SHOW TAG KEYS'))
      return { status: request.path === '/query' ? 200 : 204, body };
    const values = tags.map((tag) => [tag]);
    return { status: 200, body: { results: [{ series: [{ columns: ['tagKey'], values }] }] } };
  };
};

const failureOf = async (work: Promise<unknown>): Promise<StoreError> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof StoreError) return error;
  throw new Error(`not a StoreError: ${String(error)}`);
};

describe('reading points back', () => {
  it.each([2, 3] as const)('asks version %i by InfluxQL, for parts, with the token', async (version) => {
    answerQueries(
      chunk(pump1, [[1_000_000, 1.5, null]], true) +
        chunk(pump1, [[1_000_001, null, 'a\nb']]) +
        chunk(pump2, [[1_500_000, 2, 'x']]),
    );
    const parts = await readAll(open({ version, tags: { site: 'north', none: '' } }));
    expect(parts.map(({ series, times, values, texts }) => [series.id, times, values, texts])).toEqual([
      [1, [1_000_000], [1.5], [null]],
      [1, [1_000_001], [null], ['a\nb']],
      [2, [1_500_000], [2], ['x']],
    ]);
    const [request] = recorder.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/query',
      headers: { authorization: 'Token TScanary' },
    });
    const form = Object.fromEntries(new URLSearchParams(request?.body));
    expect(form).toMatchObject({ db: 'plant', epoch: 'u', chunked: 'true' });
    expect(form.q).toBe(
      `SELECT "value", "text" FROM "runtime" WHERE time >= 1000000u AND time < 2000000u AND "site" = 'north'` +
        ` AND ("object" = 'pump 1␛5C' AND "property" = 'te\\'mp' OR "object" = 'pump2' AND "property" = 'note') GROUP BY *`,
    );
  });

  it('asks for an aggregate in its own measurement, by its function', async () => {
    const aggregate = { ...stretch, stream: 'history/300s/mean', series: [note] };
    const tags = { ...pump2, function: 'mean', site: 'north' };
    answerQueries(chunk(tags, [[1_500_000, 2, null]]));
    const from = open({ tags: { site: 'north' } });
    expect((await readAll(from, aggregate)).map(({ values }) => values)).toEqual([[2]]);
    expect(new URLSearchParams(recorder.requests[0]?.body).get('q')).toMatch(
      /FROM "runtime_300s" WHERE .* AND "site" = 'north' AND "function" = 'mean' AND /,
    );
    expect(await readAll(from), 'raw points have no function').toEqual([]);
  });

  it('leaves out series of other writers: those with further tags', async () => {
    answerQueries(
      chunk({ ...pump1, site: 'north' }, [[1_000_000, 1, null]]) +
        chunk({ ...pump1, site: '' }, [[1_000_000, 2, null]]),
    );
    expect((await readAll(open())).map(({ values }) => values)).toEqual([[2]]);
  });

  it.each([
    [
      'an error after the first part',
      `${chunk(pump1, [[1_000_000, 1, null]])}{"error":"timeout reached"}\n`,
      /timeout reached/,
    ],
    [
      'an error of the statement',
      '{"results":[{"statement_id":0,"error":"out of memory"}]}\n',
      /out of memory/,
    ],
    ['something else', '<html>', /reading points failed/],
  ])('fails at %s', async (_, body, message) => {
    answerQueries(body);
    expect((await failureOf(readAll(open()))).message).toMatch(message);
  });

  it('fails where the answer is cut off, and where nothing answers', async () => {
    recorder.answer = () => 'reset';
    expect(await failureOf(readAll(open()))).toMatchObject({ action: 'retry' });
  });

  it('says how a bucket of version 2 is made readable', async () => {
    recorder.answer = () => ({ status: 404, body: { code: 'not found', message: 'no dbrp mapping found' } });
    expect((await failureOf(readAll(open()))).message).toMatch(/influx v1 dbrp create --db plant/);
  });
});

describe('removing points', () => {
  const removal = [
    {
      series: temp,
      ranges: [
        { from: 1_000_000, to: 1_000_001 },
        { from: 1_200_000, to: 1_300_000 },
      ],
    },
  ];
  const uncovered: string[] = [];
  const uncover = async () => void uncovered.push(String(recorder.requests.length));

  it('of version 2 goes by series and time, after the range is no longer called stored', async () => {
    answerQueries('');
    uncovered.length = 0;
    await open().remove?.('history', removal, uncover);
    const deletions = recorder.requests.filter(({ path }) => path === '/api/v2/delete');
    expect(
      deletions.map(({ query, body }) => [query.get('org'), query.get('bucket'), JSON.parse(body)]),
    ).toEqual([
      [
        'acme',
        'plant',
        {
          start: '1970-01-01T00:00:01.000000000Z',
          stop: '1970-01-01T00:00:01.000000001Z',
          predicate: `_measurement="runtime" AND "object"="pump 1␛5C" AND "property"="te'mp"`,
        },
      ],
      [
        'acme',
        'plant',
        expect.objectContaining({
          start: '1970-01-01T00:00:01.200000000Z',
          stop: '1970-01-01T00:00:01.299999001Z',
        }),
      ],
    ]);
    expect(uncovered).toEqual(['1']);
  });

  it('of an aggregate spares its other functions, and takes their tag for no other writer', async () => {
    answerQueries('', ['function', 'object', 'property']);
    await open().remove?.('history/300s/mean', removal, uncover);
    const [deletion] = recorder.requests.filter(({ path }) => path === '/api/v2/delete');
    expect(JSON.parse(deletion?.body ?? '')).toMatchObject({
      predicate: `_measurement="runtime_300s" AND "object"="pump 1␛5C" AND "property"="te'mp" AND "function"="mean"`,
    });
  });

  it('is left to people where another writer has series with further tags; nothing has changed then', async () => {
    answerQueries('', ['object', 'property', 'site']);
    uncovered.length = 0;
    const failure = await failureOf(open().remove?.('history', removal, uncover) ?? Promise.resolve());
    expect(failure).toMatchObject({ action: 'skip', message: expect.stringMatching(/tag site/) });
    expect(recorder.requests.map(({ path }) => path)).toEqual(['/query']);
    expect(uncovered).toEqual([]);
  });

  it('cannot be done in version 3', () => {
    expect(open({ version: 3 }).remove).toBeUndefined();
  });
});
