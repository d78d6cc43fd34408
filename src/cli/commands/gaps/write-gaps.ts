import type { SeriesGaps } from '../../../sync/status/list-gaps.ts';
import { layOut } from '../../output/lay-out.ts';
import { describeGaps, renderGaps } from '../../output/render-gaps.ts';

/** Writes gaps as tables, one for the series that were looked at together. */
export async function* writeGapLines(
  pages: AsyncIterable<readonly SeriesGaps[]>,
  columns: number,
): AsyncGenerator<string> {
  for await (const gaps of pages)
    if (gaps.length > 0) yield `${layOut(renderGaps(gaps), columns).join('\n')}\n`;
}

/** Parts of a JSON document with gaps: `end` returns the members that are known when all gaps are written. */
interface GapsDocument {
  readonly pages: AsyncIterable<readonly SeriesGaps[]>;
  readonly end: () => object;
}

/**
 * Writes one JSON document: the members of `begin`, the list `gaps`, and the members of `end`. The document
 * is written while the gaps are found.
 */
export async function* writeGapsJson(begin: object, { pages, end }: GapsDocument): AsyncGenerator<string> {
  const members = (some: object) => JSON.stringify(some, undefined, 2).slice(1, -2);
  yield `{${members(begin)},\n  "gaps": [`;
  let isEmpty = true;
  for await (const gaps of pages) {
    const items = gaps.map((each) => `\n${indent(JSON.stringify(describeGaps(each), undefined, 2))}`);
    if (items.length === 0) continue;
    yield `${isEmpty ? '' : ','}${items.join(',')}`;
    isEmpty = false;
  }
  yield `${isEmpty ? '' : '\n  '}],${members(end())}\n}\n`;
}

function indent(json: string): string {
  return json.replace(/^/gm, '    ');
}
