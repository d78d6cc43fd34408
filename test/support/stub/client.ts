import { onTestFinished } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { openPlatform, type PlatformDeps } from '../../../src/platform/open-platform.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { type PlatformOptions, platformDefaults } from '../../../src/platform/platform-options.ts';
import { createMemoryTokenStore } from '../../../src/platform/token/token-store.ts';
import { type StubPlatform, type StubScript, startStubPlatform } from './platform.ts';

export interface StubClient {
  readonly stub: StubPlatform;
  readonly platform: Platform;
  /** The waits before retries, in milliseconds. They are noted and take no time. */
  readonly waitsMs: readonly number[];
}

/**
 * Starts a stub and opens a client of it. Both are closed when the test ends. Waits before retries take no
 * time.
 */
export async function openStubClient(
  script: StubScript = {},
  options: Partial<PlatformOptions> = {},
  parts: Partial<PlatformDeps> = {},
): Promise<StubClient> {
  const stub = await startStubPlatform(script);
  onTestFinished(() => stub.close());
  return { stub, ...openClient({ baseUrl: stub.baseUrl, ...options }, parts) };
}

/** Opens a client whose waits before retries take no time. It is closed when the test ends. */
export function openClient(
  options: Partial<PlatformOptions> & Pick<PlatformOptions, 'baseUrl'>,
  parts: Partial<PlatformDeps> = {},
): Pick<StubClient, 'platform' | 'waitsMs'> {
  const waitsMs: number[] = [];
  const platform = openPlatform(
    { ...platformDefaults, appId: 'app', secret: 'S3+canary/01=', ...options },
    {
      tokens: createMemoryTokenStore(),
      log: silentLog,
      sleep: async (ms, signal) => {
        signal.throwIfAborted();
        waitsMs.push(ms);
      },
      ...parts,
    },
  );
  onTestFinished(() => platform.close());
  return { platform, waitsMs };
}
