// @peculiar/x509 needs this module to be loaded first.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

export interface TestCertificates {
  /** The certificate of our own authority. */
  readonly ca: string;
  /** Key and certificate of a server on 127.0.0.1. */
  readonly server: { readonly key: string; readonly cert: string };
  readonly client: { readonly key: string; readonly cert: string };
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** Makes the certificates of an authority, a server and a client. All are valid for a day. */
export async function makeTestCertificates(): Promise<TestCertificates> {
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const authorityKeys = await makeKeys();
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=test authority',
    keys: authorityKeys,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
    ...validity,
  });
  const makePair = async (name: string) => {
    const keys = await makeKeys();
    const certificate = await X509CertificateGenerator.create({
      subject: `CN=test ${name}`,
      issuer: authority.subject,
      publicKey: keys.publicKey,
      signingKey: authorityKeys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
      ...validity,
    });
    const key = PemConverter.encode(
      await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
      'PRIVATE KEY',
    );
    return { key, cert: certificate.toString('pem') };
  };
  return {
    ca: authority.toString('pem'),
    server: await makePair('server'),
    client: await makePair('client'),
  };
}
