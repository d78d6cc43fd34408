import type { Config } from '../../config/config-schema.ts';
import { type LoadedConfig, loadWithOrigins } from '../../config/load.ts';
import { createConfigRedactor } from '../../config/redactor.ts';
import type { Redact } from '../../redact.ts';
import { type CommonOptions, hideSecrets, type Io } from '../io.ts';

/** The configuration of a command, and the function that removes its secrets from a text. */
export interface CommandConfig {
  readonly config: Config;
  /** The sources of the configuration. */
  readonly layers: LoadedConfig['layers'];
  readonly redact: Redact;
}

/** Loads the configuration of a command. `--log-level` and `--log-format` win over everything. */
export async function loadCommandConfig(io: Io, options: CommonOptions): Promise<CommandConfig> {
  const { logLevel, logFormat } = options;
  const log = { ...(logLevel && { level: logLevel }), ...(logFormat && { format: logFormat }) };
  const { config, layers } = await loadWithOrigins({ path: options.config, env: io.env, overrides: { log } });
  const redact = createConfigRedactor(config, io.env);
  hideSecrets(io, redact);
  return { config, layers, redact };
}
