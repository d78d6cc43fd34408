import { fileURLToPath } from 'node:url';
import type { GivenProperty } from '../../src/simulator/plant/plant.ts';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import type { Value } from '../../src/simulator/values.ts';

/** A message from the process of the platform to the process that started it. */
export interface PlatformMessage {
  readonly baseUrl: string;
  readonly appId: string;
  readonly secret: string;
}

export const SERIES_PER_KIND = 20;

/** The kinds of points that are measured. Each is an object whose series have a value every second. */
export const kinds: Readonly<Record<string, { primitiveType: string; valueAt: (second: number) => Value }>> =
  {
    plain: { primitiveType: 'Double', valueAt: decimalAt },
    int64: { primitiveType: 'Long', valueAt: (second) => 9_007_199_254_740_993n + BigInt(second) },
    text: { primitiveType: 'String', valueAt: (second) => `step ${second % 97} of batch ${second % 7}` },
    mixed: { primitiveType: 'Double', valueAt: mixedAt },
  };

function decimalAt(second: number): number {
  return Math.round(200_000 + 90_000 * Math.sin(second / 600)) / 100;
}

function mixedAt(second: number): Value {
  if (second % 10 === 3) return null;
  if (second % 10 === 6) return 'out of order';
  return second % 10 === 9 ? String(decimalAt(second)) : decimalAt(second);
}

/** Starts a platform with one object of each kind, alone in this process. It ends with its parent. */
async function serve(tell: (message: PlatformMessage) => void): Promise<void> {
  const simulator = await startSimulator({ size: 'small' });
  for (const [kind, { primitiveType, valueAt }] of Object.entries(kinds)) {
    const properties = Array.from(
      { length: SERIES_PER_KIND },
      (_, k): GivenProperty => ({
        name: `measured ${k}`,
        primitiveType,
        *points(fromMs: number, toMs: number): Generator<[number, Value]> {
          for (let second = Math.ceil(fromMs / 1000); second * 1000 < toMs; second += 1)
            yield [second * 1000, valueAt(second + k * 1000)];
        },
      }),
    );
    simulator.addObject({ name: kind, properties });
  }
  process.on('disconnect', () => simulator.close());
  tell({ baseUrl: simulator.baseUrl, appId: simulator.appId, secret: simulator.secret });
}

// Other files import from this one, also in processes that have a parent.
if (process.send && process.argv[1] === fileURLToPath(import.meta.url))
  await serve(process.send.bind(process));
