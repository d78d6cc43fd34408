import type { Config } from '../../src/config/config-schema.ts';
import { loadConfig } from '../../src/config/load.ts';

/** Loads a configuration without any option, for work that never asks the platform. */
export function loadPlainConfig(): Promise<Config> {
  const platform = { baseUrl: 'http://127.0.0.1:1', appId: 'none', secret: 'none' };
  return loadConfig({ env: {}, overrides: { platform } as never });
}
