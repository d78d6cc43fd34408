import { describe, expect, it } from 'vitest';
import { classifyFailure, createWindowRead } from '../../src/extract/windows.ts';
import { DividingReader, type ReaderDeps } from '../../src/series/dividing-reader.ts';
import { createInstantParser } from '../../src/series/instant.ts';
import { ReplySizes } from '../../src/series/reply-sizes.ts';
import { openStubClient } from '../support/stub/client.ts';

const HISTORY = '/openapi/objects/v1/properties/history';
const startSec = Date.UTC(2024, 4, 1) / 1000;

/** One row per second. In every second quarter of an hour, one row in three has no readable time. */
const rows = Array.from({ length: 3_600 }, (_, sec): [string | null, number] => {
  const isBroken = Math.floor(sec / 900) % 2 === 1 && sec % 3 === 0;
  return [isBroken ? null : new Date((startSec + sec) * 1000).toISOString(), sec];
});

describe('reading windows of history', () => {
  it('counts rows whose time cannot be read for the size of a reply, so that a cut one is recognised', async () => {
    const { platform } = await openStubClient({
      answer: ({ path, body }) => {
        if (path !== HISTORY) return undefined;
        const {
          where,
          limit,
          offset = 0,
        } = body as {
          where: { and: { timestamp: { ge: string; lt: string } } };
          limit: number;
          offset?: number;
        };
        const [from, to] = [where.and.timestamp.ge, where.and.timestamp.lt].map(
          (text) => Date.parse(text) / 1000 - startSec,
        );
        const found = rows.slice(from, to).slice(offset, offset + Math.min(limit, 500));
        return { body: { results: [{ name: 'pump1.temp', fields: ['time', 'value'], datas: found }] } };
      },
    });
    const times = new Set<number>();
    let rejected = 0;
    const deps: ReaderDeps = {
      read: createWindowRead({
        platform,
        parseInstant: createInstantParser({}),
        signal: new AbortController().signal,
        onReject: () => {
          rejected += 1;
        },
        onReply: () => undefined,
      }),
      classify: () => 'stop',
      replySizes: new ReplySizes(),
      limit: { current: 10_000 },
      onComplete: async (_, part) => {
        for (const { times: found } of part.values()) for (const time of found) times.add(time);
      },
      onUnreadable: async () => {
        throw new Error('every window can be read');
      },
    };
    const series = [{ id: 1, object: 'pump1', property: 'temp', primitiveType: 'Double' }];
    for (const [fromSec, toSec] of [
      [0, 450],
      [450, 1_800],
      [1_800, 2_300],
      [2_300, 3_600],
    ] as const)
      await new DividingReader({ series, fromSec: startSec + fromSec, toSec: startSec + toSec }, deps).read();
    expect(times.size).toBe(rows.filter(([time]) => time !== null).length);
    expect(rejected).toBeGreaterThan(0);
  });

  it.each([
    [
      'of raw values, for an aggregate',
      undefined,
      'mean',
      /holds "mean" of pump1\.temp, and raw values were/,
    ],
    ['of an aggregate, for another', 'max', 'mean', /holds "mean" of pump1\.temp, and max were/],
    ['of an aggregate, for a function of no name known', 'max', 'p95', /holds "p95" of pump1\.temp/],
  ] as const)('refuses a column in place of one %s', async (_, asked, sent, message) => {
    const { platform } = await openStubClient({
      answer: ({ path }) =>
        path === HISTORY
          ? {
              body: {
                results: [
                  {
                    name: 'pump1.temp',
                    function: sent,
                    fields: ['time', 'value'],
                    datas: [['2024-05-01T00:00:00Z', 1]],
                  },
                ],
              },
            }
          : undefined,
    });
    const read = createWindowRead({
      platform,
      parseInstant: createInstantParser({}),
      signal: new AbortController().signal,
      aggregate: asked && { fn: asked, periodSec: 60 },
      onReject: () => undefined,
      onReply: () => undefined,
    });
    const series = [{ id: 1, object: 'pump1', property: 'temp', primitiveType: 'Double' }];
    const refused = read({ series, fromSec: startSec, toSec: startSec + 60, limit: 100, offset: 0 });
    await expect(refused).rejects.toThrow(message);
    expect(classifyFailure(await refused.catch((error: unknown) => error))).toBe('smaller');
  });

  it.each([
    ['one short row', [['2024-05-01T00:00:00Z', 1], ['2024-05-01T00:00:01Z'], ['2024-05-01T00:00:02Z', 3]]],
    ['short rows only', [['2024-05-01T00:00:01Z']]],
  ])('rejects %s by name, in place of dropping it', async (_, datas) => {
    const { platform } = await openStubClient({
      answer: ({ path }) =>
        path === HISTORY
          ? { body: { results: [{ name: 'pump1.temp', fields: ['time', 'value'], datas }] } }
          : undefined,
    });
    const rejects: unknown[] = [];
    const read = createWindowRead({
      platform,
      parseInstant: createInstantParser({}),
      signal: new AbortController().signal,
      onReject: (id, row, reason) => rejects.push([id, row, reason]),
      onReply: () => undefined,
    });
    const series = [{ id: 1, object: 'pump1', property: 'temp', primitiveType: 'Double' }];
    await read({ series, fromSec: startSec, toSec: startSec + 60, limit: 100, offset: 0 });
    expect(rejects).toEqual([[1, ['2024-05-01T00:00:01Z'], 'the row ends before its value']]);
  });
});
