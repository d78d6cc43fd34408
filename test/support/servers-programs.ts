import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A server program that tests need, and where it comes from. */
export interface Program {
  /** Names under which distributions install it. */
  readonly commands: readonly string[];
  readonly debianPackage: string;
  /** Environment variable with the URL of a running server to use instead. */
  readonly variable: string;
}

export const influxd: Program = {
  commands: ['influxd'],
  debianPackage: 'influxdb',
  variable: 'PLANTSYNC_TEST_INFLUX_URL',
};
export const victoriaMetrics: Program = {
  commands: ['victoria-metrics', 'victoriametrics', 'victoria-metrics-prod'],
  debianPackage: 'victoria-metrics',
  variable: 'PLANTSYNC_TEST_VICTORIA_URL',
};
export const redisServer: Program = {
  commands: ['redis-server'],
  debianPackage: 'redis-server',
  variable: 'PLANTSYNC_TEST_REDIS_URL',
};

/** The path of the program; installs its Debian package if it is missing, and says what to do if that is impossible. */
export async function ensureProgram(program: Program): Promise<string> {
  const present = await findProgram(program);
  if (present !== undefined) return present;
  const problem = await install(program.debianPackage);
  const installed = await findProgram(program);
  if (installed !== undefined) return installed;
  throw new Error(
    `The tests need ${program.commands[0]}, which is not on this machine and could not be installed (${problem}): ` +
      `install the Debian package ${program.debianPackage}, or set ${program.variable} to a running server.`,
  );
}

async function findProgram({ commands }: Program): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin', '/usr/sbin'];
  for (const folder of folders)
    for (const command of commands) {
      const path = join(folder, command);
      const usable = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (folder !== '' && usable) return path;
    }
  return undefined;
}

/** Installs a Debian package as root or by sudo without a password; returns why it failed, if it did. */
async function install(debianPackage: string): Promise<string | undefined> {
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const aptGet = [
    ...prefix,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    '-qq',
    '-o',
    'DPkg::Lock::Timeout=300',
  ];
  try {
    await runAll(aptGet, ['update']);
    await runAll(aptGet, ['install', '-y', '--no-install-recommends', debianPackage]);
    return undefined;
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n');
    return lines.at(-1);
  }
}

async function runAll(prefix: readonly string[], args: readonly string[]): Promise<void> {
  const [command = '', ...rest] = [...prefix, ...args];
  await run(command, rest, { maxBuffer: 64 * 1024 * 1024 });
}
