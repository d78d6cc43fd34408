import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Plant } from '../../src/simulator/plant/plant.ts';
import { plantSize } from '../../src/simulator/plant/size.ts';
import { blueprints } from '../../src/simulator/signals/blueprints.ts';
import { type Points, readLast } from '../../src/simulator/signals/signal.ts';
import { signalOf } from '../../src/simulator/signals/signal-of.ts';

const startMs = Date.UTC(2020, 0, 1);
const dayMs = 86_400_000;
const all = Number.POSITIVE_INFINITY;
const plantOf = (awkward: boolean) => ({ seed: 1, awkward, startMs });
const rows = ({ times, values }: Points) => times.map((time, index) => [time, values[index]]);
const signalsOf = (awkward: boolean) =>
  blueprints.map((blueprint) => signalOf(plantOf(awkward), `pump.${blueprint.name}`, blueprint));

describe.each([false, true])('signals (awkward: %s)', (awkward) => {
  const signals = signalsOf(awkward);

  test('a window read in two parts holds the same points as read in one, in order', () => {
    const window = fc.record({
      signal: fc.constantFrom(...signals),
      from: fc.integer({ min: startMs - dayMs, max: startMs + 400 * dayMs }),
      first: fc.nat({ max: dayMs }),
      second: fc.nat({ max: dayMs }),
    });
    fc.assert(
      fc.property(window, ({ signal, from, first, second }) => {
        const whole = signal.read(from, from + first + second, all);
        const parts = [
          signal.read(from, from + first, all),
          signal.read(from + first, from + first + second, all),
        ];
        expect(parts.flatMap(rows)).toEqual(rows(whole));
        expect(whole.times).toEqual([...whole.times].sort((one, other) => one - other));
        expect(
          whole.times.every((time) => time >= from && time < from + first + second && time >= startMs),
        ).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('the first and the last points of a window are those of the whole', () => {
    for (const signal of signals) {
      const whole = rows(signal.read(startMs, startMs + 3 * dayMs, all));
      expect(rows(signal.read(startMs, startMs + 3 * dayMs, 7))).toEqual(whole.slice(0, 7));
      expect(rows(readLast(signal, startMs, startMs + 3 * dayMs, 7))).toEqual(whole.slice(-7));
    }
  });
});

test('counters never fall, the sequence counts samples without a gap, and outages leave gaps elsewhere', () => {
  const of = (name: string) => {
    const blueprint = blueprints.find((one) => one.name === name) ?? blueprints[0];
    return signalOf(plantOf(false), `pump.${name}`, blueprint).read(
      startMs + 50 * dayMs,
      startMs + 60 * dayMs,
      all,
    );
  };
  const energy = of('energy').values.map((value) => BigInt(value as bigint));
  expect(energy.every((value, index) => index === 0 || value >= (energy[index - 1] ?? value))).toBe(true);
  expect((energy[0] ?? 0n) > 2n ** 53n).toBe(true);
  const sequence = of('sequence').values as number[];
  expect(sequence).toEqual(sequence.map((_, index) => (sequence[0] ?? 0) + index));
  const { times } = of('temperature');
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.max(...steps)).toBeGreaterThanOrEqual(300_000);
});

test('awkward plants have equal and sub-second times on some series', () => {
  const plant = new Plant(plantOf(true), plantSize('small'));
  const objects = plant.objects.list();
  let [equal, fractions] = [0, 0];
  for (let place = 0; place < objects.length; place += 1) {
    const { times } = plant
      .findSeries(`${objects.at(place).name}.pressure`)
      ?.signal?.read(startMs, startMs + dayMs, all) ?? { times: [] };
    if (times.some((time, index) => time === times[index + 1])) equal += 1;
    if (times.some((time) => time % 1000 !== 0)) fractions += 1;
  }
  expect([equal > 0, fractions > 0, equal < objects.length]).toEqual([true, true, true]);
});

test('a plant of 100,000 objects is there at once, the same for the same seed', () => {
  const [one, other] = [1, 1].map((seed) => new Plant({ seed, awkward: false, startMs }, plantSize('large')));
  const objects = one?.objects.list();
  expect(objects?.length).toBe(100_002);
  for (const place of [0, 4711, 99_999]) {
    const object = objects?.at(place);
    expect(object).toEqual(other?.objects.list().at(place));
    expect(one?.objects.get(object?.name ?? '')).toEqual(object);
    expect(one?.properties(object?.name ?? '').list().length).toBe(20);
  }
  const third = new Plant({ seed: 2, awkward: false, startMs }, plantSize('large'));
  expect(third.objects.list().at(4711)).not.toEqual(objects?.at(4711));
});
