import { isDuplicateKey } from './postgres-errors.ts';

/**
 * Inserts rows that are most likely new. If Postgres refuses one of them because its key is there, merges all
 * of them instead. Each of the two is a transaction of its own.
 */
export async function insertOrMerge<T>(insert: () => Promise<T>, merge: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return merge();
  }
}
