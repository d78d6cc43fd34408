import { expect, it } from 'vitest';
import { writeGapLines, writeGapsJson } from '../../../src/cli/commands/gaps/write-gaps.ts';
import type { SeriesGaps } from '../../../src/sync/status/list-gaps.ts';

const DAY = 86_400e6;
const gapOf = (series: string): SeriesGaps => ({
  ...{ store: 'postgres:plant', stream: 'history', series },
  ranges: [{ from: 0, to: DAY }],
});

async function* pagesOf(...pages: SeriesGaps[][]): AsyncGenerator<SeriesGaps[]> {
  yield* pages;
}

async function textsOf(chunks: AsyncIterable<string>): Promise<string[]> {
  const texts: string[] = [];
  for await (const chunk of chunks) texts.push(chunk);
  return texts;
}

const end = () => ({ behindSec: 7 });

it.each([
  ['no page', []],
  ['pages without gaps', [[], []]],
  ['one gap', [[gapOf('pump1.temp')]]],
  ['gaps on several pages', [[gapOf('a.b'), gapOf('a "quoted".b')], [], [gapOf('c.d')]]],
])('the document of %s is the one that would be written at once', async (_, pages) => {
  const document = writeGapsJson({ series: 3, empty: [] }, { pages: pagesOf(...pages), end });
  const range = { from: '1970-01-01T00:00:00Z', to: '1970-01-02T00:00:00Z' };
  const gaps = pages.flat().map((gap) => ({ ...gap, ranges: [range] }));
  const text = (await textsOf(document)).join('');
  expect(text).toBe(`${JSON.stringify({ series: 3, empty: [], gaps, behindSec: 7 }, undefined, 2)}\n`);
});

it('each page of gaps is written before the next one is looked for', async () => {
  const asked: string[] = [];
  async function* slow() {
    for (const series of ['a.b', 'c.d']) {
      asked.push(series);
      yield [gapOf(series)];
    }
  }
  const lines = writeGapLines(slow(), 120);
  expect((await lines.next()).value).toMatch(/store +stream +from[\s\S]*a\.b/);
  expect(asked).toEqual(['a.b']);
  expect((await lines.next()).value).toMatch(/c\.d/);
});
