import { inspect } from 'node:util';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { silentLog } from '../../src/log.ts';
import { clientConfig } from '../../src/postgres/client-config.ts';
import { openPostgres, whyRefused } from '../../src/postgres/connect.ts';
import { asConnectError } from '../../src/postgres/postgres-errors.ts';

const good = { number: 140_000, version: '14.0', encoding: 'UTF8', replica: false };

test('a server is refused if it is too old, not UTF8, or a replica', () => {
  expect(whyRefused(good)).toBeUndefined();
  expect(whyRefused({ ...good, number: 130_022, version: '13.22' })?.problem).toMatch(
    /13.22 is too old: PostgreSQL 14/,
  );
  expect(whyRefused({ ...good, encoding: 'LATIN1' })?.problem).toMatch(
    /encoding is LATIN1: make a database with/,
  );
  expect(whyRefused({ ...good, replica: true })?.problem).toMatch(/replica: give the address of the primary/);
});

test.each([
  ['postgres://u:p@127.0.0.1:6000/plant', { host: '127.0.0.1', port: 6000, user: 'u', database: 'plant' }],
  ['postgresql://u@[::1]/plant', { host: '::1', port: 5432, user: 'u', database: 'plant' }],
  [
    'postgres:///plant?host=/var/run/postgresql&user=u',
    { host: '/var/run/postgresql', port: 5432, user: 'u', database: 'plant' },
  ],
  [
    'postgres://u@%2Fvar%2Frun%2Fpostgresql/plant',
    { host: '/var/run/postgresql', port: 5432, user: 'u', database: 'plant' },
  ],
])('%s names its server', async (url, address) => {
  for (const password of [undefined, 'p@ss/?#']) {
    const db = openPostgres({ url, password }, silentLog);
    expect(db).toMatchObject(address);
    await db.close();
  }
});

test.each(['postgres://u:se#cret@host/db', 'mysql://u:secret@host/db', 'host=localhost password=secret', ''])(
  'an address that is no URL of PostgreSQL is a usage error without the secret',
  (url) => {
    const open = (): unknown => openPostgres({ url }, silentLog);
    expect(open).toThrow(UsageError);
    try {
      open();
    } catch (error) {
      expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/se#?cret/);
    }
  },
);

test.each([
  ['disable', false],
  ['require', { rejectUnauthorized: false }],
  ['no-verify', { rejectUnauthorized: false }],
  ['verify-full', {}],
])('sslmode=%s means what it means for libpq, without a warning', (mode, ssl) => {
  const warnings: unknown[] = [];
  const note = (warning: unknown) => void warnings.push(warning);
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(note);
  onTestFinished(() => warn.mockRestore());
  const { connectionString = '' } = clientConfig({ url: `postgres://u@h/d?sslmode=${mode}` });
  expect(new Client({ connectionString })).toMatchObject({ ssl });
  expect(warnings).toEqual([]);
});

test.each([
  ['sslmode=verify', /sslmode=verify of postgres\.url is not one of disable, .*, verify-full/],
  ['sslmode=verify-ca', /needs sslrootcert=FILE/],
  [
    'sslmode=verify-full&sslrootcert=/none.pem',
    /certificate that postgres\.url names cannot be read: .*none\.pem/,
  ],
])('%s is refused with the remedy', (parameters, expected) => {
  expect(() => openPostgres({ url: `postgres://u@h/d?${parameters}` }, silentLog)).toThrow(expected);
});

test('a server that wants a password is told apart from one that refuses it', () => {
  const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  const at = { host: 'h', port: 5432, user: 'u', database: 'd' };
  expect(asConnectError(error, at).message).toBe(
    'PostgreSQL at h:5432 asks for the password of user u, and none is given: set postgres.password',
  );
});
