import { createRedactor, listAddressSecrets, type Redact } from '../redact.ts';
import { parseHeaders } from './tracing-schema.ts';

/** The names of options that hold a secret, anywhere in the configuration. */
const SECRET_KEY = /^(secret|password|token|key)$/;
/** Variables of the environment that hold a secret, for libraries that read them. */
const secretVariables = ['PGPASSWORD', 'REDISCLI_AUTH'];
const HEADER_VARIABLES = /^OTEL_EXPORTER_OTLP_(TRACES_)?HEADERS$/;
const ADDRESS_VARIABLES = /^(https?|all)_proxy$/i;
/** A shorter secret would be found in any text. */
const LEAST_CHARACTERS = 4;

/**
 * Creates a function that removes the secrets of a configuration, and of the environment, from a text. It
 * finds each spelling of a secret.
 */
export function createConfigRedactor(config: object, env: NodeJS.ProcessEnv = {}): Redact {
  const secrets = [...listSecrets(config), ...listVariables(env)];
  return createRedactor(secrets.filter((secret) => secret.length >= LEAST_CHARACTERS));
}

function listSecrets(tree: object): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    if (key === 'headers' && typeof value === 'object' && value !== null)
      return Object.values(value).flatMap(listHeaderSecrets);
    if (typeof value === 'string') return SECRET_KEY.test(key) ? [value] : listAddressSecrets(value);
    return typeof value === 'object' && value !== null ? listSecrets(value) : [];
  });
}

function listVariables(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (secretVariables.includes(name)) return [value];
    if (HEADER_VARIABLES.test(name))
      return Object.values(parseHeaders(value) ?? { value }).flatMap(listHeaderSecrets);
    return ADDRESS_VARIABLES.test(name) ? listAddressSecrets(value) : [];
  });
}

/** Lists the secrets of a header: its value, and what follows a word such as `Bearer`. */
function listHeaderSecrets(value: unknown): string[] {
  return typeof value === 'string' ? [value, value.replace(/^\w+ +/, '')] : [];
}
