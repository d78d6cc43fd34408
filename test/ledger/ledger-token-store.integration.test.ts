import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTokenStore } from '../../src/ledger/ledger-token-store.ts';
import type { StoredToken } from '../../src/platform/platform.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

const token: StoredToken = {
  accessToken: 'AT-marker-1',
  refreshToken: 'RT-marker-1',
  issuedAtMs: 1,
  expiresAtMs: 2,
};

function storeOf(platform: string, secret = 'SECRET+marker'): ReturnType<typeof createTokenStore> {
  return createTokenStore({ db: opened.db, schemas: defaultSchemas, platform, secret });
}

test('there is no token at first, and afterwards every process finds the one that was exchanged', async () => {
  expect(await storeOf('first').load()).toBeUndefined();
  expect(await storeOf('first').exchange(async (stored) => (stored === undefined ? token : stored))).toEqual(
    token,
  );
  expect(await storeOf('first').load()).toEqual(token);
});

test('of many processes one renews, and the others are given its token', async () => {
  let renewals = 0;
  const stores = Array.from({ length: 6 }, () => storeOf('shared'));
  const tokens = await Promise.all(
    stores.map((store) =>
      store.exchange(async (stored) => {
        if (stored !== undefined) return stored;
        renewals += 1;
        return { ...token, refreshToken: undefined };
      }),
    ),
  );
  expect(renewals).toBe(1);
  expect(new Set(tokens.map((one) => one.accessToken))).toEqual(new Set([token.accessToken]));
});

test('a renewal that fails keeps the token and frees the row', async () => {
  await storeOf('failing').exchange(async () => token);
  const refused = storeOf('failing').exchange(() => Promise.reject(new Error('refused by the platform')));
  await expect(refused).rejects.toThrow('refused by the platform');
  expect(
    await storeOf('failing').exchange(async (stored) => ({ ...token, ...stored, issuedAtMs: 9 })),
  ).toEqual({ ...token, issuedAtMs: 9 });
});

test('a token under another secret, of another platform, or damaged counts as none', async () => {
  await storeOf('a').exchange(async () => token);
  expect(await storeOf('a', 'another secret').load()).toBeUndefined();
  await opened.db.query(
    "insert into plantsync.tokens (platform, sealed) select 'moved', sealed from plantsync.tokens where platform = 'a'",
  );
  expect(await storeOf('moved').load()).toBeUndefined();
  for (const damage of [
    'set_byte(sealed, 40, 255 - get_byte(sealed, 40))',
    "'\\x00'",
    'substr(sealed, 1, 28)',
  ]) {
    await opened.db.query(`update plantsync.tokens set sealed = ${damage} where platform = 'a'`);
    expect(await storeOf('a').load()).toBeUndefined();
  }
  expect(await storeOf('a').exchange(async (stored) => stored ?? token)).toEqual(token);
});

test('neither token nor secret is readable in the database', async () => {
  await storeOf('sealed').exchange(async () => token);
  const { rows } = await opened.db.query('select encode(sealed, $1) as sealed from plantsync.tokens', [
    'escape',
  ]);
  expect(JSON.stringify(rows)).not.toMatch(/marker/);
});
