import { onTestFinished } from 'vitest';
import type { Simulator, SimulatorOptions } from '../../../src/simulator/simulator-options.ts';
import { startSimulator } from '../../../src/simulator/start-simulator.ts';
import { makePlantDatabases, type PlantDatabases } from '../plant-databases.ts';
import type { TestDatabase } from '../servers/servers.ts';
import { makeProject, type Project } from './plantsync.ts';

export interface SimulatedProject extends Project {
  readonly simulator: Simulator;
  readonly databases: PlantDatabases;
}

/** Starts a simulated platform in this process. It is gone when the test ends. */
export async function openSimulator(options: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator({ control: false, ...options });
  onTestFinished(() => simulator.close());
  return simulator;
}

/** A configuration. Its platform is a simulated one unless the configuration names another. */
type SimulatedConfig = object & { readonly platform?: object };

/**
 * Makes a project on a simulated platform, with databases of its own. `create` makes the Postgres database,
 * which is migrated by default. All of it is gone when the test ends.
 */
export async function makeSimulatedProject(
  simulator: Simulator,
  config: (sections: PlantDatabases['sections']) => SimulatedConfig = ({ postgres }) => ({ postgres }),
  create?: () => Promise<TestDatabase>,
): Promise<SimulatedProject> {
  const databases = await makePlantDatabases(create);
  onTestFinished(() => databases.close());
  const { baseUrl, appId, secret } = simulator;
  const complete = ({ platform, ...others }: SimulatedConfig) => ({
    platform: { baseUrl, appId, secret, ...platform },
    ...others,
  });
  const project = makeProject(complete(config(databases.sections)));
  const configure = (content: SimulatedConfig) => project.configure(complete(content));
  return { ...project, configure, simulator, databases };
}
