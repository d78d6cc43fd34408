import type { PlantSeed } from '../plant/plant-names.ts';
import { mix, mixText, pick } from '../random.ts';
import type { Blueprint } from './blueprints.ts';
import { sampledSignal } from './sampled.ts';
import type { Signal } from './signal.ts';

const periodsMs = [10_000, 20_000, 30_000, 30_000, 60_000, 60_000, 60_000, 300_000] as const;
const EVENT_SLOT_MS = 900_000;

/** Returns the period of a series: mostly 10 to 60 s, and for one series in 60 a second. */
function periodOf(hash: number): number {
  return hash % 60 === 0 ? 1000 : pick(periodsMs, mix(hash, 5));
}

/** Makes the signal of a property of the plant from its full name `object.property`. */
export function signalOf(plant: PlantSeed, name: string, blueprint: Blueprint): Signal {
  const hash = mixText(plant.seed, name);
  const value = blueprint.shape(hash, plant.startMs);
  const { startMs, awkward } = plant;
  if (blueprint.sampling === 'event')
    return sampledSignal({
      hash,
      startMs,
      periodMs: EVENT_SLOT_MS,
      jitterMs: EVENT_SLOT_MS,
      share: 0.4,
      value,
    });
  const periodMs = periodOf(hash);
  const isIndex = blueprint.sampling === 'index';
  return sampledSignal({
    hash,
    // Devices do not sample at the same moment.
    startMs: startMs + (hash % (periodMs / 1000)) * 1000,
    periodMs,
    outages: !isIndex,
    value,
    // Only some series have times below a second, and equal times.
    jitterMs: awkward && hash % 3 === 0 ? Math.min(periodMs, 1000) : 0,
    twins: awkward && !isIndex && hash % 5 === 0,
  });
}
