import type { Config } from '../../../src/config/config-schema.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Tree } from '../../../src/config/tree.ts';

/** Loads a configuration with these sections, and a platform that nothing asks. */
export function configOf(sections: Tree): Promise<Config> {
  const platform = { baseUrl: 'http://p', appId: 'a', secret: 's' };
  return loadConfig({ path: false, env: {}, overrides: { platform, ...sections } });
}
