import { onTestFinished } from 'vitest';
import { makePlantDatabases, type PlantDatabases } from '../plant-databases.ts';
import { makeProject, type Project } from '../program/plantsync.ts';
import type { TestDatabase } from '../servers/servers.ts';
import { onlyStreams } from '../stream-switches.ts';
import { type StubPlatform, type StubScript, startStubPlatform } from './platform.ts';

export interface StubPlant extends Project {
  readonly stub: StubPlatform;
  readonly databases: PlantDatabases;
  readonly config: object;
}

/**
 * Makes a project on a scripted platform, with databases of its own. `create` makes the Postgres database,
 * which is migrated by default. All of it is gone when the test ends.
 */
export async function makeStubPlant(
  script: StubScript,
  config: (sections: PlantDatabases['sections']) => object = ({ postgres }) => ({ postgres }),
  create?: () => Promise<TestDatabase>,
): Promise<StubPlant> {
  const databases = await makePlantDatabases(create);
  // The last registered function runs first: the processes of the project end before their databases are
  // dropped.
  onTestFinished(() => databases.close());
  const stub = await startStubPlatform(script);
  onTestFinished(() => stub.close());
  const whole = {
    platform: { baseUrl: stub.baseUrl, appId: 'app', secret: 'key-of-the-stub' },
    ...config(databases.sections),
  };
  return { ...makeProject(whole), stub, databases, config: whole };
}

/** Returns a configuration that reads the history of the named series and nothing else. */
export function onlyHistoryOf(names: readonly string[], more: object = {}): object {
  return {
    streams: onlyStreams(),
    runtime: names.map((name) => {
      const [objects, properties] = name.split('.');
      return { objects, properties, current: false, history: { start: '1d' }, ...more };
    }),
  };
}

/**
 * Returns a plant with data in every stream: three persons, two pumps, the temperature of one pump, and its
 * points.
 */
export function smallPlant(points: readonly (readonly [time: string, value: number])[] = []): StubScript {
  return {
    lists: {
      '/openapi/persons/v1': ['ann', 'bob', 'eve'].map((name) => ({
        name,
        showName: name,
        gender: 'female',
      })),
      '/openapi/objects/v1': [{ name: 'pump1' }, { name: 'pump2' }],
      '/openapi/objects/v1/pump1/properties': [{ name: 'temp', primitiveType: 'Double', persisted: true }],
    },
    history: { 'pump1.temp': points },
    current: { 'pump1.temp': 21.5 },
  };
}
