import { onTestFinished } from 'vitest';
import { Closers } from '../../src/cli/open/closers.ts';
import { openConnections } from '../../src/cli/open/open-connections.ts';
import { loadConfig } from '../../src/config/load.ts';
import { silentLog } from '../../src/log.ts';
import type { Metrics } from '../../src/metrics.ts';
import type { Simulator, SimulatorOptions } from '../../src/simulator/simulator-options.ts';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import type { SyncContext } from '../../src/sync/context.ts';
import type { Progress } from '../../src/sync/progress.ts';
import { makePlantDatabases, type PlantDatabases } from './plant-databases.ts';

export const noProgress: Progress = {
  start: () => ({
    add: () => undefined,
    bring: () => undefined,
    setTotal: () => undefined,
    finish: () => undefined,
  }),
};

export interface SimulatedPlant {
  readonly simulator: Simulator;
  readonly databases: PlantDatabases;
  readonly ctx: SyncContext;
}

/**
 * Opens a simulated platform with a real client and real databases in this process. All are gone when the
 * test ends.
 */
export async function openSimulatedPlant(
  options: SimulatorOptions = {},
  config: (sections: PlantDatabases['sections']) => {
    platform?: object;
    [section: string]: object | boolean | undefined;
  } = () => ({}),
  metrics?: Metrics,
): Promise<SimulatedPlant> {
  const databases = await makePlantDatabases();
  onTestFinished(() => databases.close());
  const simulator = await startSimulator({ control: false, ...options });
  onTestFinished(() => simulator.close());
  const { platform, ...sections } = config(databases.sections);
  const overrides = {
    platform: { baseUrl: simulator.baseUrl, appId: simulator.appId, secret: simulator.secret, ...platform },
    postgres: databases.sections.postgres,
    // Loading does not need the views, and most tests look at nothing else.
    bi: false,
    ...sections,
  };
  const loaded = await loadConfig({ env: {}, overrides: overrides as never });
  const closers = new Closers(silentLog);
  onTestFinished(() => closers.close());
  const parts = await openConnections(loaded, { log: silentLog, closers, metrics });
  return {
    simulator,
    databases,
    ctx: { ...parts, progress: noProgress, signal: new AbortController().signal },
  };
}
