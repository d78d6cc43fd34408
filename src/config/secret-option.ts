/** The names of options that hold a secret, anywhere in the configuration. */
const SECRET_KEY = /^(secret|password|token|key)$/;
/** Sections whose addresses are secrets: anyone who knows such an address can call it. */
const SECRET_ADDRESS = /^(notify\.webhooks\.\d+|heartbeat)\.url$/;

/** Tells whether the option of this path holds a secret. */
export function isSecretOption(path: readonly string[]): boolean {
  return SECRET_KEY.test(path.at(-1) ?? '') || isSecretAddress(path);
}

/** Tells whether the option of this path holds an address that is a secret as a whole. */
export function isSecretAddress(path: readonly string[]): boolean {
  return SECRET_ADDRESS.test(path.join('.'));
}
