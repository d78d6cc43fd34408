import type { Database } from '../postgres/connect.ts';
import { quoteTable } from '../postgres/names.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { jsonText } from './json-text.ts';

export interface PlatformFacts {
  /** Reads all facts about a platform, by key. `platform` identifies the platform and holds no secret. */
  load(platform: string): Promise<Map<string, unknown>>;
  /** Keeps one fact, which may be any JSON value. An unchanged fact costs no write. */
  save(platform: string, key: string, value: unknown): Promise<void>;
  /** Forgets one fact about a platform, or all of them. Resolves to the keys forgotten. */
  forget(platform: string, key?: string): Promise<string[]>;
}

/**
 * Makes the part of the ledger that keeps facts proven about a platform. Examples are sizes of replies that
 * it surely does not cut, and operations whose `total` is wrong.
 */
export function createPlatformFacts(db: Database, schemas: Schemas): PlatformFacts {
  const table = quoteTable(schemas.ledger, 'knowledge');
  return {
    async load(platform) {
      const { rows } = await db.query(`select key, value from ${table} where platform = $1`, [platform]);
      return new Map(rows.map((row) => [row.key as string, row.value]));
    },

    async save(platform, key, value) {
      await db.query(
        `insert into ${table} as k (platform, key, value) values ($1, $2, $3)
         on conflict (platform, key) do update set value = excluded.value, changed_at = now()
         where k.value is distinct from excluded.value`,
        [platform, key, jsonText(value)],
      );
    },

    async forget(platform, key) {
      const { rows } = await db.query(
        `with gone as (delete from ${table} where platform = $1 and ($2::text is null or key = $2) returning key)
         select key from gone order by key`,
        [platform, key ?? null],
      );
      return rows.map((row) => row.key as string);
    },
  };
}
