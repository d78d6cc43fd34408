import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { Config } from '../../../config/config-schema.ts';

/** What the demo reads, and what commands on its data take for wanted. */
export const DEMO_RUNTIME = [{ history: { start: '3h', every: '10s' } }];

const HEAD = `# The configuration of the demo, written again at each start: its addresses change. Commands work with the data of
# a running demo by it: plantsync status --config FILE
`;

/** Writes the configuration by which commands work with the data of the running demo. Returns its path. */
export function writeDemoConfig(folder: string, { platform, postgres, influx, console }: Config): string {
  const { baseUrl, appId, secret } = platform;
  const path = resolve(join(folder, 'plantsync.yaml'));
  const file = {
    platform: { baseUrl, appId, secret },
    postgres: { url: postgres.server?.url, password: postgres.server?.password },
    ...(influx && { influx: { url: influx.url, version: 1, database: influx.database } }),
    runtime: DEMO_RUNTIME,
    console: { port: console.port },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, HEAD + stringify(file), { mode: 0o600 });
  return path;
}
