import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { PoolClient } from 'pg';
import type { StoredToken, TokenStore } from '../platform/platform.ts';
import type { Database } from '../postgres/connect.ts';
import { withFence } from '../postgres/fence.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { inTransaction } from '../postgres/transaction.ts';

const deriveKey: (secret: string, salt: string, bytes: number) => Promise<Buffer> = promisify(scrypt);

export interface TokenStoreOptions {
  readonly db: Database;
  readonly schemas: Schemas;
  /** Identity of the platform and the application, without any secret. It is the key of the row. */
  readonly platform: string;
  /** The platform secret. Only a process that has it can read the token. */
  readonly secret: string;
}

/**
 * Makes the store that keeps the token as a row of the ledger, shared by all processes. The token is
 * encrypted with AES-256-GCM by a key made from the platform secret. `exchange` locks the row, so that one of
 * many processes renews and the others find its token. A row that is unreadable, because the secret changed,
 * counts as no token.
 */
export function createTokenStore({ db, schemas, platform, secret }: TokenStoreOptions): TokenStore {
  const table = quoteTable(schemas.ledger, 'tokens');
  // The key is derived once, at the first use, because deriving is slow by design.
  let derived: Promise<Buffer> | undefined;
  const key = () => (derived ??= deriveKey(secret, `plantsync token ${platform}`, 32));

  return {
    async load() {
      const { rows } = await db.query(`select sealed from ${table} where platform = $1`, [platform]);
      return open(await key(), platform, rows[0]?.sealed);
    },

    async exchange(renew) {
      const secretKey = await key();
      const renewLocked = async (tx: PoolClient): Promise<StoredToken> => {
        // The row is made before it is locked: at the very first renewal there is none.
        await tx.query(`insert into ${table} (platform) values ($1) on conflict do nothing`, [platform]);
        const { rows } = await tx.query(`select sealed from ${table} where platform = $1 for update`, [
          platform,
        ]);
        const token = await renew(open(secretKey, platform, rows[0]?.sealed));
        const sealed = seal(secretKey, platform, token);
        await tx.query(`update ${table} set sealed = $2, changed_at = now() where platform = $1`, [
          platform,
          sealed,
        ]);
        return token;
      };
      // One attempt only: trouble with the database must not make a second renewal. No lease guards it,
      // because the token belongs to no run.
      return withFence(undefined, () =>
        inTransaction(db, renewLocked, { what: 'renewing the token', attempts: 1 }),
      );
    },
  };
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a token as initialisation vector, tag and encrypted JSON. The name of the platform is
 * authenticated, so that a row cannot be moved to another platform.
 */
function seal(key: Buffer, platform: string, token: StoredToken): Buffer {
  const iv = randomBytes(IV_BYTES);
  const sealing = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(platform));
  const body = Buffer.concat([sealing.update(JSON.stringify(token)), sealing.final()]);
  return Buffer.concat([iv, sealing.getAuthTag(), body]);
}

function open(key: Buffer, platform: string, sealed: unknown): StoredToken | undefined {
  if (!Buffer.isBuffer(sealed) || sealed.length < IV_BYTES + TAG_BYTES) return undefined;
  const opening = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(platform))
    .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const body = opening.update(sealed.subarray(IV_BYTES + TAG_BYTES));
  try {
    return JSON.parse(Buffer.concat([body, opening.final()]).toString()) as StoredToken;
  } catch {
    // The row was sealed with another secret, or is damaged. The next exchange takes a new token, which
    // replaces it.
    return undefined;
  }
}
