import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { messageOf, UsageError } from './errors.ts';

/** PEM texts: an authority that is trusted with the public ones, and a client certificate with its key. */
export interface Certificates {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * What a TLS connection needs to know of certificates; nothing where none is given. It is made once, since to
 * read all public authorities for every connection is slow. Throws a `UsageError` that names `options` if a
 * text is no PEM.
 */
export function secure({ ca, cert, key }: Certificates, options: string): { secureContext?: SecureContext } {
  if (ca === undefined && cert === undefined && key === undefined) return {};
  try {
    const authorities = ca === undefined ? undefined : [...rootCertificates, ca];
    return { secureContext: createSecureContext({ ca: authorities, cert, key }) };
  } catch (error) {
    throw new UsageError(`${options} cannot be used (${messageOf(error)})`);
  }
}

/** As `secure`, for an authority alone. */
export function trust(ca: string | undefined, option: string): { secureContext?: SecureContext } {
  return secure({ ca }, option);
}

/** OpenSSL's reasons (`CERT_HAS_EXPIRED`, `SELF_SIGNED_CERT_IN_CHAIN`, …) and Node's own. */
const CERTIFICATE_CODES = /CERT|UNABLE_TO_(GET|VERIFY)|HOSTNAME_MISMATCH|ALTNAME/;

/** What to do about a certificate that was not accepted; undefined if an error is about something else. */
export function remedyOfCertificate(error: unknown, option: string): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!CERTIFICATE_CODES.test(code)) return undefined;
  return `its certificate is not accepted (${code}): ${option} names the authority that signed it, if that is one of your own; its host names and dates count too`;
}
