import type { Redis } from 'ioredis';

/** How often each job has failed in a row, whichever process ran it: kept in Redis, where losing it only makes a retry come sooner. */
export class FailureCounts {
  readonly #redis: Redis;
  readonly #key: string;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#key = `${prefix}:failures`;
  }

  /** Resolves to the count with this one. */
  add(job: string): Promise<number> {
    return this.#redis.hincrby(this.#key, job, 1);
  }

  async clear(job: string): Promise<void> {
    await this.#redis.hdel(this.#key, job);
  }
}
