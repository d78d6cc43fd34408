import { describe, expect, it } from 'vitest';
import { CurrentReader, type PolledBatch } from '../../src/extract/current-reader.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Series } from '../../src/series/types.ts';
import { openStubClient } from '../support/stub/client.ts';
import type { StubAnswer, StubRequest } from '../support/stub/platform.ts';

const series = ['pump1.temp', 'pump1.nosuch', 'ghost.temp', 'pump2.temp', 'spook.temp'].map((name, id) => {
  const [object = '', property = ''] = name.split('.');
  return { id, object, property, primitiveType: 'Double' };
});
const signal = new AbortController().signal;

const openReader = (clock = () => 0) => new CurrentReader({ clock, maxConcurrency: 4 });

/** Reads a poll to its end, and joins what its requests gave. */
async function readAll(
  { platform, reader = openReader() }: { platform: Platform; reader?: CurrentReader },
  asked: readonly Series[],
) {
  const batches: PolledBatch[] = [];
  for await (const batch of reader.read({ platform, signal, clock: () => 0 }, asked)) batches.push(batch);
  return {
    values: batches.flatMap(({ values }) => values),
    missing: batches.flatMap(({ missing }) => missing),
  };
}

/** Makes a platform that refuses every request that names one of two objects that it does not know. */
function refuseGhosts(status: number) {
  return ({ path, text }: StubRequest): StubAnswer | undefined => {
    if (!path.endsWith('/properties/current')) return undefined;
    const ghost = ['ghost', 'spook'].find((object) => text.includes(object));
    return ghost === undefined
      ? undefined
      : { status, body: { code: '800001', message: `object ${ghost} not found` } };
  };
}

describe('reading current values', () => {
  it.each([400, 200])(
    'reads all others where an object is not found (HTTP %i), and names it once',
    async (status) => {
      const { platform } = await openStubClient({
        current: { 'pump1.temp': 21.5, 'pump1.nosuch': null, 'pump2.temp': 3 },
        answer: refuseGhosts(status),
      });
      const { values, missing } = await readAll({ platform }, series);
      expect(values.map((each) => [each.series.object, each.series.property, each.current.value])).toEqual(
        expect.arrayContaining([
          ['pump1', 'temp', 21.5],
          ['pump1', 'nosuch', null],
          ['pump2', 'temp', 3],
        ]),
      );
      expect(values).toHaveLength(3);
      expect(missing.map((each) => each.series.object).sort()).toEqual(['ghost', 'spook']);
      for (const { reason } of missing) expect(reason).toMatch(/ghost|spook/);
    },
  );

  it('asks for a missing object again after ten minutes, alone, and takes it back', async () => {
    let now = 0;
    let gone = true;
    const { platform, stub } = await openStubClient({
      current: { 'pump1.temp': 1, 'pump2.temp': 2, 'ghost.temp': 5 },
      answer: (request) => (gone ? refuseGhosts(400)(request) : undefined),
    });
    const reader = openReader(() => now);
    const ask = async () => {
      const before = stub.journal.length;
      const { values } = await readAll({ platform, reader }, series.slice(0, 4));
      const asked = stub.journal.slice(before).map((request) => request.text);
      return { values: values.length, asked: asked.filter((text) => text.includes('ghost')) };
    };
    await ask();
    expect(await ask()).toEqual({ values: 3, asked: [] });
    now = 11 * 60_000;
    const again = await ask();
    expect(again.values).toBe(3);
    expect(again.asked.length).toBeGreaterThan(0);
    for (const text of again.asked) expect(text).not.toContain('pump');
    gone = false;
    now = 22 * 60_000;
    expect(await ask()).toMatchObject({ values: 4 });
    expect((await ask()).asked).toHaveLength(1);
  });

  it('ends with the error where the platform fails for another reason', async () => {
    const { platform } = await openStubClient({
      answer: ({ path }) =>
        path.endsWith('/properties/current') ? { status: 401, body: { message: 'no' } } : undefined,
    });
    await expect(readAll({ platform }, series)).rejects.toThrow(/refused/);
  });
});

describe('a reply without any value', () => {
  const answerWith =
    (body: object) =>
    ({ path }: StubRequest) =>
      path.endsWith('/properties/current') ? { body } : undefined;

  it.each([[{}], [{ code: 0, data: null }], [{ code: 200, message: 'ok', data: {} }]])(
    'is no poll in which all is missing: %j',
    async (body) => {
      const { platform } = await openStubClient({ answer: answerWith(body) });
      await expect(readAll({ platform }, series)).rejects.toMatchObject({
        kind: 'malformed',
        message: expect.stringContaining('none of the values'),
      });
    },
  );

  it('of one that complains says why a value is missing', async () => {
    const body = { 'pump1.temp': 21.5, 'pump2.temp': null, message: 'not ready' };
    const { platform } = await openStubClient({ answer: answerWith(body) });
    const asked = series.filter(({ object }) => object.startsWith('pump'));
    const { values, missing } = await readAll({ platform }, asked);
    expect(values.map(({ current }) => current.value)).toEqual([21.5]);
    expect(missing).toHaveLength(2);
    for (const { reason } of missing) expect(reason).toMatch(/a message that reports no success/);
  });
});

describe('a part of a poll that fails', () => {
  const many = Array.from({ length: 600 }, (_, id) => ({
    id,
    object: `o${id}`,
    property: 'p',
    primitiveType: 'Double',
  }));
  const current = Object.fromEntries(many.map(({ object }) => [`${object}.p`, 1]));

  it('is missing from this poll only, and the others are kept', async () => {
    let broken = true;
    const { platform } = await openStubClient(
      {
        current,
        answer: ({ path, text }) =>
          broken && path.endsWith('/properties/current') && text.includes('"o250.p"')
            ? { status: 500, body: {} }
            : undefined,
      },
      { retries: 0 },
    );
    const reader = openReader();
    const poll = await readAll({ platform, reader }, many);
    expect([poll.values.length, poll.missing.length]).toEqual([400, 200]);
    broken = false;
    expect((await readAll({ platform, reader }, many)).values).toHaveLength(600);
  });

  it('leaves no request behind for a caller that takes no more', async () => {
    const { platform, stub } = await openStubClient({
      current: new Proxy({}, { get: () => 1, has: () => true }),
    });
    const asked = Array.from(
      { length: 8_000 },
      (_, id) => ({ ...many[0], id, property: `p${id}` }) as Series,
    );
    for await (const batch of openReader().read({ platform, signal, clock: () => 0 }, asked)) {
      expect(batch.values.length).toBeGreaterThan(0);
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(stub.journal.length).toBeLessThan(15);
  });

  it('ends the poll where the platform says "operation failed" to everything, and sets nothing aside', async () => {
    let broken = true;
    const { platform, stub } = await openStubClient(
      {
        current,
        answer: ({ path }) =>
          broken && path.endsWith('/properties/current')
            ? { status: 400, body: { code: '800001', message: 'operation failed' } }
            : undefined,
      },
      { retries: 0 },
    );
    const reader = openReader();
    await expect(readAll({ platform, reader }, many)).rejects.toThrow(/operation failed/);
    expect(stub.requestsTo('/openapi/objects/v1/properties/current').length).toBeLessThanOrEqual(9);
    broken = false;
    expect((await readAll({ platform, reader }, many)).values).toHaveLength(600);
  });
});
