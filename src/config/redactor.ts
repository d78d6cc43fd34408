import { createRedactor, listAddressSecrets, type Redact } from '../redact.ts';
import { parseHeaders } from './headers.ts';
import { isSecretAddress, isSecretOption } from './secret-option.ts';

/** Variables of the environment that hold a secret, for libraries that read them. */
const secretVariables = ['PGPASSWORD', 'REDISCLI_AUTH'];
const HEADER_VARIABLES = /^OTEL_EXPORTER_OTLP_(TRACES_)?HEADERS$/;
const ADDRESS_VARIABLES = /^(https?|all)_proxy$/i;
/** A shorter secret would be found in any text. */
const LEAST_CHARACTERS = 4;
/** A shorter part of a path is a word, such as `services`. */
const LEAST_IN_PATH = 16;

/**
 * Creates a function that removes the secrets of a configuration, and of the environment, from a text. It
 * finds each spelling of a secret.
 */
export function createConfigRedactor(config: object, env: NodeJS.ProcessEnv = {}): Redact {
  const secrets = [...listSecrets(config), ...listVariables(env)];
  return createRedactor(secrets.filter((secret) => secret.length >= LEAST_CHARACTERS));
}

function listSecrets(tree: object, path: readonly string[] = []): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const at = [...path, key];
    if (key === 'headers' && typeof value === 'object' && value !== null)
      return Object.values(value).flatMap(listHeaderSecrets);
    if (typeof value === 'object' && value !== null) return listSecrets(value, at);
    if (typeof value !== 'string') return [];
    if (isSecretAddress(at)) return listPathSecrets(value);
    return isSecretOption(at) ? [value] : listAddressSecrets(value);
  });
}

/** Lists the secrets of an address that is secret as a whole. Its host may be told. */
function listPathSecrets(address: string): string[] {
  if (!URL.canParse(address)) return [address];
  const { pathname, search } = new URL(address);
  const parts = `${pathname}${search}`.split(/[/?&=]/).filter((part) => part.length >= LEAST_IN_PATH);
  return [address, `${pathname}${search}`, pathname, ...parts];
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
