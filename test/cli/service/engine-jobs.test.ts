import { describe, expect, it } from 'vitest';
import { openWithRetry } from '../../../src/cli/open/open-with-retry.ts';
import { StoreError } from '../../../src/errors.ts';
import { silentLog } from '../../../src/log.ts';

const down = () =>
  new StoreError('postgres.unreachable', 'PostgreSQL cannot be reached', { action: 'retry' });

describe('openPatiently', () => {
  it('tries again while something cannot be reached', async () => {
    let tries = 0;
    const open = async () => {
      tries += 1;
      if (tries === 1) throw down();
      return 'open';
    };
    const { signal } = new AbortController();
    await expect(openWithRetry(open, { log: silentLog, signal })).resolves.toBe('open');
    expect(tries).toBe(2);
  });

  it('gives up at once on what waiting does not cure', async () => {
    const open = async () => {
      throw new StoreError('postgres.wrong_password', 'login refused', { action: 'stop' });
    };
    const { signal } = new AbortController();
    await expect(openWithRetry(open, { log: silentLog, signal })).rejects.toThrow('login refused');
  });

  it('ends without a result when it is told to stop', async () => {
    const controller = new AbortController();
    const open = async () => {
      controller.abort();
      throw down();
    };
    await expect(openWithRetry(open, { log: silentLog, signal: controller.signal })).resolves.toBeUndefined();
  });
});
