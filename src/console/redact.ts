import { redact } from '../redact.ts';

/** Options that hold a secret, wherever they stand in the configuration. */
const secretKey = /^(secret|password|token|key)$/;
/** Shorter ones would be found in any text. */
const LEAST_CHARACTERS = 4;

/** Makes a function that takes all secrets of a configuration out of a text, as they are and as they stand in an address. */
export function createRedactor(config: object): (text: string) => string {
  const secrets = listSecrets(config).filter((secret) => secret.length >= LEAST_CHARACTERS);
  return (text) => redact(text, secrets);
}

function listSecrets(tree: object): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    if (typeof value === 'string') return secretKey.test(key) ? [value] : passwordOf(value);
    return typeof value === 'object' && value !== null ? listSecrets(value) : [];
  });
}

/** The password of an address, if the text is one and has one. */
function passwordOf(text: string): string[] {
  if (!text.includes('@') || !URL.canParse(text)) return [];
  const { password } = new URL(text);
  return password === '' ? [] : [password, decodeURIComponent(password)];
}
