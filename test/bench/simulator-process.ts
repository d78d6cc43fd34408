import { startSimulator } from '../../src/simulator/start-simulator.ts';

/** What a process with a simulator tells the one that started it. */
export type SimulatorMessage =
  | { readonly kind: 'ready'; readonly baseUrl: string; readonly appId: string; readonly secret: string }
  /** Processor time that the process has used so far, microseconds. */
  | { readonly kind: 'cpu'; readonly usedUs: number };

/** The object whose series `plain.0`, `plain.1`, … have a whole number every second, as tests give them. */
export const plainObject = 'plain';
export const plainSeries = 20;

/** Starts a simulator alone in this process; it answers each message with the processor time used, and ends when the other process leaves. */
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

if (process.send) await serve(process.send.bind(process));
