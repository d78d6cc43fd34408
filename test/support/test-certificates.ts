import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestCertificates {
  /** A certificate authority of our own. */
  readonly ca: string;
  /** For a server on 127.0.0.1. */
  readonly server: { readonly key: string; readonly cert: string };
  readonly client: { readonly key: string; readonly cert: string };
}

/** Makes an authority, a server and a client certificate with openssl; all live for a day. */
export function makeTestCertificates(): TestCertificates {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '1',
      '-subj',
      '/CN=test authority',
    );
    writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1');
    for (const name of ['server', 'client']) {
      openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=test ${name}`);
      const sign = ['-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
      openssl('x509', ...sign, '-days', '1', '-extfile', 'names', '-out', `${name}.pem`);
    }
    const pair = (name: string) => ({ key: read(`${name}.key`), cert: read(`${name}.pem`) });
    return { ca: read('ca.pem'), server: pair('server'), client: pair('client') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
