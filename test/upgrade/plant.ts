import type { Simulator, SimulatorOptions } from '../../src/simulator/simulator-options.ts';

/** The end of the fixture's story, by the clock of its platform, in epoch milliseconds. */
export const END_MS = Date.UTC(2026, 4, 1, 12);
/** The begin of the story: the first sync of the old program. */
export const BEGIN_MS = END_MS - 600_000;
const DAY_MS = 86_400_000;

/** An object whose series begin months before the end, with one point an hour. */
export const LONG = 'long';
/** An object that the platform removes in the middle of the story. */
export const GONE = 'gone';

/** A simulated platform whose clock the test sets. */
export interface UpgradePlant {
  readonly simulator: Simulator;
  setClock(nowMs: number): void;
}

/**
 * Starts the platform of the fixture. `start` is `startSimulator` of the version that reads the platform. The
 * data of the platform follows from its seed, its clock, and the changes below.
 */
export async function openUpgradePlant(
  start: (options: SimulatorOptions) => Promise<Simulator>,
): Promise<UpgradePlant> {
  let nowMs = BEGIN_MS;
  const simulator = await start({
    seed: 207,
    size: 'tiny',
    awkward: true,
    malformed: true,
    startMs: END_MS - 100 * DAY_MS,
    nowMs: () => nowMs,
    control: false,
  });
  for (const name of [LONG, GONE])
    simulator.addObject({ name, properties: [{ name: 'hourly', points: hourlyPoints }] });
  simulator.raiseAlarm({ sourceObjName: LONG, sourcePropName: 'hourly', showName: 'still open' });
  return {
    simulator,
    setClock(toMs) {
      nowMs = toMs;
    },
  };
}

/** Changes the platform: a person has another name, an object is gone, an alarm is raised. */
export function changePlant({ simulator }: UpgradePlant): void {
  const person = simulator.truth.records('listPersons').find(({ name }) => typeof name === 'string');
  const key = String(person?.name);
  simulator.change({ collection: 'persons', kind: 'update', key, change: { showName: 'another name' } });
  simulator.change({ collection: 'objects', kind: 'remove', key: GONE });
  simulator.raiseAlarm({ sourceObjName: LONG, sourcePropName: 'hourly', showName: 'raised later' });
}

/** Makes one point an hour. Its value is a number that tells its hour. */
function* hourlyPoints(fromMs: number, toMs: number): Generator<[number, number]> {
  const hourMs = 3_600_000;
  for (let hour = Math.ceil(fromMs / hourMs); hour * hourMs < toMs; hour += 1) yield [hour * hourMs, hour];
}

/** Returns the configuration of the fixture, except for the addresses. All its times are fixed. */
export function configureUpgrade(places: { platform: object; postgres: object; influx: object }): object {
  const at = (ms: number) => new Date(ms).toISOString();
  const current = { every: '1m' };
  const lookback = '2m';
  return {
    ...places,
    runtime: [
      { objects: `{${LONG},${GONE}}`, current, history: { start: at(END_MS - 75 * DAY_MS), lookback } },
      { objects: '*', current, history: { start: at(END_MS - 3_600_000), lookback } },
    ],
    alarms: { history: { start: at(END_MS - 20 * DAY_MS), lookback } },
    // Changes from the time of the fixture are kept, however long ago that is.
    limits: { keepChanges: '36500d', maxRejects: 1_000_000 },
  };
}
