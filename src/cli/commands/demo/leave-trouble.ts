import type { Simulator } from '../../../simulator/simulator-options.ts';
import type { Value } from '../../../simulator/values.ts';

/** The object of the demo that has a gap and a reject. */
export const TROUBLED = 'demo_pump';
/** Its property whose history the platform refuses in the first cycle. */
export const UNREADABLE = 'leakage';
/** Its property with a value that no store can hold. */
export const ODD = 'level';
const STEP_MS = 10_000;
const ODD_BEFORE_MS = 3_600_500;
/** More levels than plantsync stores. */
const ODD_LEVELS = 250;

/** A value at an instant in epoch milliseconds. */
type Point = readonly [number, Value];

/** Adds the object to the simulated platform. Without `odd` all its values can be stored. */
export function addPump(simulator: Simulator, odd?: () => Point): void {
  simulator.addObject({
    name: TROUBLED,
    showName: 'Pump of the demo',
    properties: [
      { name: UNREADABLE, points: (fromMs, toMs) => readings(fromMs, toMs) },
      {
        name: ODD,
        points: (fromMs, toMs) =>
          odd === undefined ? readings(fromMs, toMs) : readingsWith(odd(), [fromMs, toMs]),
      },
    ],
  });
}

/**
 * Adds the object so that it leaves a gap and a reject behind, for people to look at and to mend. Call the
 * returned function after the first cycle: from then on the platform answers everything.
 */
export function leaveTrouble(simulator: Simulator): () => void {
  const oddMs = Date.now() - ODD_BEFORE_MS;
  let oddValue: Value = nest(ODD_LEVELS);
  addPump(simulator, () => [oddMs, oddValue]);
  simulator.setFaults([
    {
      kind: 'status',
      operation: 'readHistory',
      match: UNREADABLE,
      status: 400,
      code: 800001,
      message: 'the archive of this property is being moved',
    },
  ]);
  return () => {
    simulator.setFaults([]);
    oddValue = 5;
  };
}

/** The wave with one more value. */
function* readingsWith([oddMs, odd]: Point, [fromMs, toMs]: [number, number]): Generator<Point> {
  yield* readings(fromMs, Math.min(oddMs, toMs));
  if (oddMs >= fromMs && oddMs < toMs) yield [oddMs, odd];
  yield* readings(Math.max(oddMs, fromMs), toMs);
}

function nest(levels: number): Value {
  let value: Value = 5;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

/** A slow wave, so that a chart shows something. */
function* readings(fromMs: number, toMs: number): Generator<Point> {
  for (let at = Math.ceil(fromMs / STEP_MS) * STEP_MS; at < toMs; at += STEP_MS)
    yield [at, Math.round(1000 * (5 + Math.sin(at / 600_000))) / 1000];
}
