import { join } from 'node:path';
import type { Config } from '../../../config/config-schema.ts';
import type { EmbeddedServer } from '../../../postgres/embedded/start-embedded.ts';
import type { Simulator } from '../../../simulator/simulator-options.ts';

export interface DemoFacts {
  readonly config: Config;
  readonly server: EmbeddedServer;
  readonly simulator: Simulator;
}

/** Describes how to look at the data that the demo has stored. */
export function describeDemo({ config, server, simulator }: DemoFacts): string[] {
  const { schema } = config.postgres;
  const query = `select object, property, at, value, text from ${schema}.samples join ${schema}.series using (series_id) order by at desc limit 10`;
  const influx =
    config.influx === undefined
      ? []
      : [`  influx:    ${config.influx.url}, database ${config.influx.database}`];
  return [
    `  postgres:  PGPASSWORD=$(cat ${join(server.home, 'password')}) psql "${server.url}"`,
    `             ${query};`,
    ...influx,
    `  platform:  ${simulator.baseUrl}/simulator`,
  ];
}
