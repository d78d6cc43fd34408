import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SeriesPoints } from '../../../src/series/types.ts';
import { PollBuffer } from '../../../src/sync/polls/poll-buffer.ts';

const pointOf = (id: number, at: number, text: string | null): SeriesPoints => ({
  series: { id, object: 'o', property: `p${id}`, primitiveType: null },
  times: [at],
  values: [text === null ? at : null],
  texts: [text],
  qualities: [null],
});

const aPoll = fc.record({
  points: fc.array(fc.option(fc.string({ maxLength: 20 })), { maxLength: 6 }),
  repeats: fc.array(fc.option(fc.string({ maxLength: 20 })), { maxLength: 6 }),
});

describe('polls that wait in memory', () => {
  it('come out as they went in, the oldest first, within the bounds, and every one that is dropped is counted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ poll: aPoll, taken: fc.nat(2) }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 50, max: 2_000 }),
        (steps, maxValues, maxBytes) => {
          const buffer = new PollBuffer({ maxValues, maxBytes });
          let model: { id: number; values: number; poll: unknown }[] = [];
          let at = 0;
          for (const { poll, taken } of steps) {
            at += 1;
            const kept = {
              run: {},
              points: poll.points.map((text, id) => pointOf(id, at, text)),
              repeats: poll.repeats.map((text, id) => pointOf(100 + id, at, text)),
            };
            const values = kept.points.length + kept.repeats.length;
            const { id, dropped } = buffer.add(kept, { sparesOldest: false });
            model.push({ id, values, poll: kept });
            const gone = model.slice(0, model.length - buffer.polls);
            expect(dropped?.polls ?? 0).toBe(gone.length);
            expect(dropped?.values ?? 0).toBe(gone.reduce((sum, each) => sum + each.values, 0));
            model = model.slice(gone.length);
            if (buffer.polls > 1) expect(buffer.values).toBeLessThanOrEqual(maxValues);
            for (let k = 0; k < taken && model.length > 0; k += 1) {
              const first = model.shift();
              expect(buffer.first()).toEqual({ id: first?.id, poll: first?.poll });
              buffer.removeFirst();
            }
            expect(buffer.values).toBe(model.reduce((sum, each) => sum + each.values, 0));
          }
        },
      ),
    );
  });

  it('spare the oldest while it is being written', () => {
    const buffer = new PollBuffer({ maxValues: 2, maxBytes: 1e6 });
    const run = {};
    const poll = (at: number) => ({ run, points: [pointOf(1, at, null)], repeats: [] });
    for (const at of [1, 2]) buffer.add(poll(at), { sparesOldest: true });
    expect(buffer.add(poll(3), { sparesOldest: true }).dropped).toEqual({
      polls: 1,
      values: 1,
      from: 2,
      to: 2,
    });
    expect(buffer.first()?.poll).toEqual(poll(1));
  });
});
