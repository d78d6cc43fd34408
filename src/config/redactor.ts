import { createRedactor, listAddressSecrets, type Redact } from '../redact.ts';

/** Options that hold a secret, wherever they stand in the configuration. */
const SECRET_KEY = /^(secret|password|token|key)$/;
/**
 * Variables of the environment whose value is a secret, or an address with one, for libraries that read them.
 */
const secretVariables = ['PGPASSWORD', 'REDISCLI_AUTH'];
const ADDRESS_VARIABLES = /^(https?|all)_proxy$/i;
/** Shorter ones would be found in any text. */
const LEAST_CHARACTERS = 4;

/**
 * Makes a function that takes all secrets of a configuration, and of the environment, out of a text, however
 * they are spelled there.
 */
export function createConfigRedactor(config: object, env: NodeJS.ProcessEnv = {}): Redact {
  const secrets = [...listSecrets(config), ...listVariables(env)];
  return createRedactor(secrets.filter((secret) => secret.length >= LEAST_CHARACTERS));
}

function listSecrets(tree: object): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    if (typeof value === 'string') return SECRET_KEY.test(key) ? [value] : listAddressSecrets(value);
    return typeof value === 'object' && value !== null ? listSecrets(value) : [];
  });
}

function listVariables(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (secretVariables.includes(name)) return [value];
    return ADDRESS_VARIABLES.test(name) ? listAddressSecrets(value) : [];
  });
}
