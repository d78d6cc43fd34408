import { expect, it } from 'vitest';
import { summarizePlan } from '../../src/cli/backfill.ts';

const hour = 3.6e9;
type Batches = Parameters<typeof summarizePlan>[0];

/** A batch as the plan has it: so many series, hours that are missing, kinds of stores. */
function batch(count: number, hours: [number, number][], kinds: string[]) {
  return {
    series: Array.from({ length: count }, (_, id) => ({ id, name: `o.p${id}` })),
    missing: hours.map(([from, to]) => ({ from: from * hour, to: to * hour })),
    tag: { stores: kinds.map((kind) => ({ kind })) },
  };
}

it('a plan has one line for all batches with the same stores and ranges', () => {
  const batches = [
    batch(100, [[0, 2]], ['postgres']),
    batch(20, [[0, 2]], ['postgres']),
    batch(5, [[0, 2]], ['postgres', 'influx']),
    batch(
      3,
      [
        [0, 1],
        [1.5, 2],
      ],
      ['postgres'],
    ),
  ];
  const lines = summarizePlan(batches as unknown as Batches);
  expect(lines.map(({ stores, series, hours }) => ({ stores, series, hours }))).toEqual([
    { stores: 'postgres', series: 120, hours: 2 },
    { stores: 'postgres + influx', series: 5, hours: 2 },
    { stores: 'postgres', series: 3, hours: 1.5 },
  ]);
});
