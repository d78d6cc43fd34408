import fc from 'fast-check';
import { expect, test } from 'vitest';
import { microsOf, type Time, useMadePlant } from './made-plant.ts';

const openPlant = useMadePlant();

/** Everything happens in these minutes. */
const MINUTES = 30;
const START = microsOf('2024-01-31 23:50');
const timeOf = (minute: number): Time =>
  new Date(START / 1000 + minute * 60_000).toISOString().slice(0, 16).replace('T', ' ');

const minute = fc.integer({ min: 0, max: MINUTES - 1 });
/** Minutes with a point, by what the point tells. Null stands for a point without a value. */
const points = fc.dictionary(minute.map(String), fc.constantFrom('a', 'b', null), { maxKeys: 12 });
/** Ranges of minutes that become stored, or are not stored any more. */
const ranges = fc.array(
  fc.record({ from: minute, length: fc.integer({ min: 1, max: 12 }), isStored: fc.boolean() }),
  { maxLength: 8 },
);

interface Span {
  state: string | null;
  from: number;
  to: number;
}

/** Computes, minute by minute, which state is known. A minute that is not stored ends the state. */
function stateByMinute(
  told: Readonly<Record<string, string | null>>,
  stored: readonly boolean[],
): (string | null)[] {
  let state: string | null = null;
  return stored.map((isStored, k) => {
    if (!isStored) state = null;
    else if (String(k) in told) state = told[String(k)] ?? null;
    return state;
  });
}

function spansOf(states: readonly (string | null)[]): Span[] {
  const spans: Span[] = [];
  for (const [k, state] of states.entries()) {
    const last = spans.at(-1);
    if (last !== undefined && last.state === state) last.to = k + 1;
    else spans.push({ state, from: k, to: k + 1 });
  }
  return spans;
}

test('intervals and states are those of a computation minute by minute', async () => {
  const plant = await openPlant();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(points, ranges, minute, minute, async (told, changes, one, other) => {
      round += 1;
      const series = await plant.series(`pump${round}.state`);
      const stored = new Array<boolean>(MINUTES).fill(false);
      // All points are there: those that are not stored any more stay, too.
      await plant.store(
        series,
        [timeOf(0), timeOf(MINUTES)],
        Object.entries(told).map(([k, value]) => [timeOf(Number(k)), value] as const),
      );
      await plant.uncover(series, [timeOf(0), timeOf(MINUTES)]);
      for (const { from, length, isStored } of changes) {
        const to = Math.min(MINUTES, from + length);
        if (isStored) await plant.store(series, [timeOf(from), timeOf(to)]);
        else await plant.uncover(series, [timeOf(from), timeOf(to)]);
        stored.fill(isStored, from, to);
      }

      const states = stateByMinute(told, stored);
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const inRange = spansOf(states.slice(from, to)).map((span) => [
        span.state,
        timeOf(from + span.from),
        timeOf(from + span.to),
        (span.to - span.from) * 60,
      ]);
      expect(
        await plant.ask(
          `select state, from_at, to_at, duration_sec
           from bi.states('${series.object}', 'state', '${timeOf(from)}', '${timeOf(to)}')`,
        ),
      ).toEqual(inRange);

      const end = stored.lastIndexOf(true) + 1;
      const isLast = (span: Span) => span.to === end && Object.keys(told).every((k) => Number(k) < end);
      const isTold = ({ to: k }: Span) => stored[k] === true;
      const intervals = spansOf(states)
        .filter(({ state }) => state !== null)
        .map((span) => [
          span.state,
          timeOf(span.from),
          isLast(span) ? null : timeOf(span.to),
          (span.to - span.from) * 60,
          isLast(span),
          !isLast(span) && !isTold(span),
        ]);
      expect(
        await plant.ask(
          `select state, from_at, to_at, duration_sec, is_open, ends_unknown from bi.state_intervals
           where object = '${series.object}' order by from_at`,
        ),
      ).toEqual(intervals);
    }),
    { numRuns: 100 },
  );
});
