import { setTimeout as sleep } from 'node:timers/promises';
import { runAsRoot } from '../run-as-root.ts';

/** How long an installation waits for other programs that hold the locks of apt or dpkg. */
export interface Patience {
  readonly boundMs: number;
  readonly pauseMs: number;
}

const locked =
  /Unable to lock|Could not get lock|Unable to acquire the dpkg|is another process using it|held by process/i;

/**
 * Installs Debian packages as root, or by sudo without a password. While another process holds a lock, this
 * one tries again. It is done as soon as `missing` names no package. Resolves to the reason if it fails.
 */
export async function installPackages(
  missing: () => Promise<string[]>,
  { boundMs, pauseMs }: Patience,
): Promise<string | undefined> {
  const deadlineMs = Date.now() + boundMs;
  for (;;) {
    const packages = await missing();
    if (packages.length === 0) return undefined;
    const problem = await attempt(packages);
    if (problem === undefined) return undefined;
    if (!locked.test(problem) || Date.now() > deadlineMs) return problem.trim().split('\n').at(-1);
    await sleep(pauseMs);
  }
}

async function attempt(packages: readonly string[]): Promise<string | undefined> {
  const options = ['-qq', '-o', 'DPkg::Lock::Timeout=60'];
  const aptGet = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', ...options];
  try {
    await runAsRoot('env', ...aptGet, 'update');
    await runAsRoot('env', ...aptGet, 'install', '-y', '--no-install-recommends', ...packages);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
