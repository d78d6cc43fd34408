import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { messageOf, UsageError } from './errors.ts';

/** PEM texts: an authority that is trusted besides the public ones, and a client certificate with its key. */
export interface Certificates {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Returns the certificates in the form that a TLS connection takes. Returns an empty object if no text is
 * given. The result serves all connections, since reading all public authorities for each connection is slow.
 * Throws a `UsageError` that names `options` if a text is no PEM.
 */
export function secure({ ca, cert, key }: Certificates, options: string): { secureContext?: SecureContext } {
  if (ca === undefined && cert === undefined && key === undefined) return {};
  try {
    const authorities = ca === undefined ? undefined : [...rootCertificates, ca];
    return { secureContext: createSecureContext({ ca: authorities, cert, key }) };
  } catch (error) {
    throw new UsageError('config.certificate_unusable', `${options} cannot be used (${messageOf(error)})`);
  }
}

/** Returns what `secure` returns for an authority alone. */
export function trust(ca: string | undefined, option: string): { secureContext?: SecureContext } {
  return secure({ ca }, option);
}

/** Matches codes of certificate errors: those of OpenSSL (`CERT_HAS_EXPIRED`, …), and those of Node. */
const CERTIFICATE_CODES = /CERT|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH|ALTNAME/;

/** Returns the remedy for a certificate that was not accepted. Returns undefined for any other error. */
export function remedyOfCertificate(error: unknown, option: string): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!CERTIFICATE_CODES.test(code)) return undefined;
  return `its certificate is not accepted (${code}): check its host names and dates; if an authority of your own signed it, name that in ${option}`;
}
