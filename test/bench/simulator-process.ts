import { fileURLToPath } from 'node:url';
import { startSimulator } from '../../src/simulator/start-simulator.ts';

/** A message from a process with a simulator to the process that started it. */
export type SimulatorMessage =
  | { readonly kind: 'ready'; readonly baseUrl: string; readonly appId: string; readonly secret: string }
  /** The processor time that the process has used so far, in microseconds. */
  | { readonly kind: 'cpu'; readonly usedUs: number };

/** An object whose series `plain.0`, `plain.1`, … have a whole number every second, as tests set them. */
export const plainObject = 'plain';
export const plainSeries = 20;

/**
 * Starts a simulator alone in this process. It answers each message with the processor time used, and ends
 * when the other process leaves.
 */
async function serve(tell: (message: SimulatorMessage) => void): Promise<void> {
  const simulator = await startSimulator({ size: 'small', nowMs: () => Date.UTC(2024, 4, 1) });
  const properties = Array.from({ length: plainSeries }, (_, index) => ({
    name: String(index),
    *points(fromMs: number, toMs: number): Generator<[number, number]> {
      for (let second = Math.ceil(fromMs / 1000); second * 1000 < toMs; second += 1)
        yield [second * 1000, second];
    },
  }));
  simulator.addObject({ name: plainObject, properties });
  process.on('disconnect', () => simulator.close());
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    tell({ kind: 'cpu', usedUs: user + system });
  });
  tell({ kind: 'ready', baseUrl: simulator.baseUrl, appId: simulator.appId, secret: simulator.secret });
}

// Other files import from this one, also in processes that have a parent.
if (process.send && process.argv[1] === fileURLToPath(import.meta.url))
  await serve(process.send.bind(process));
