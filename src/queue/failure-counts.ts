import type { RedisClient } from './redis/open-client.ts';

/**
 * Counts how often each job has failed in a row, in any process. The counts are in Redis; losing them only
 * makes a retry come sooner.
 */
export class FailureCounts {
  readonly #redis: RedisClient;
  readonly #key: string;

  constructor(redis: RedisClient, prefix: string) {
    this.#redis = redis;
    this.#key = `${prefix}:failures`;
  }

  /** Counts one more failure. Resolves to the new count. */
  add(job: string): Promise<number> {
    return this.#redis.hincrby(this.#key, job, 1);
  }

  async clear(job: string): Promise<void> {
    await this.#redis.hdel(this.#key, job);
  }
}
