import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { silentLog } from '../../src/log.ts';
import { openPostgres, whyRefused } from '../../src/postgres/connect.ts';

const good = { number: 140_000, version: '14.0', encoding: 'UTF8', replica: false };

test('a server is refused if it is too old, not UTF8, or a replica', () => {
  expect(whyRefused(good)).toBeUndefined();
  expect(whyRefused({ ...good, number: 130_022, version: '13.22' })).toMatch(
    /13.22 is too old: PostgreSQL 14/,
  );
  expect(whyRefused({ ...good, encoding: 'LATIN1' })).toMatch(/encoding is LATIN1: make one with/);
  expect(whyRefused({ ...good, replica: true })).toMatch(/replica: give the address of the primary/);
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
