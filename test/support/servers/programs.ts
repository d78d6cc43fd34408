import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { installPackages, type Patience } from './install-programs.ts';

/** A server program that tests need, and the package that has it. */
export interface Program {
  /** The names under which distributions install the program. */
  readonly commands: readonly string[];
  readonly debianPackage: string;
  /** The environment variable with the URL of a running server to use instead, for tests that can use one. */
  readonly variable?: string;
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
/** The program that gives a process a clock of its own. */
export const faketime: Program = { commands: ['faketime'], debianPackage: 'faketime' };

/** The program whose rules drop packets, as if a machine were gone. */
export const iptables: Program = { commands: ['iptables'], debianPackage: 'iptables' };
/** The browser in which the page of the console is tried. */
export const chromiumBrowser: Program = {
  commands: ['chromium', 'chromium-browser', 'google-chrome'],
  debianPackage: 'chromium',
};
/** The server that judges the alert rules, and the program that checks them. One package has both. */
export const prometheusServer: Program = { commands: ['prometheus'], debianPackage: 'prometheus' };
export const promtool: Program = { commands: ['promtool'], debianPackage: 'prometheus' };
export const pgbouncer: Program = { commands: ['pgbouncer'], debianPackage: 'pgbouncer' };

const patience: Patience = { boundMs: 600_000, pauseMs: 2000 };

/**
 * Returns the path of the program. Installs its Debian package if the program is missing. Throws an error
 * that says what to do if that is impossible.
 */
export async function ensureProgram(program: Program): Promise<string> {
  const [path = ''] = await ensurePrograms([program]);
  return path;
}

/**
 * Returns the paths of programs. Missing programs are installed in one step. Throws one error that names all
 * programs that could not be installed.
 */
export async function ensurePrograms(
  programs: readonly Program[],
  { boundMs, pauseMs }: Patience = patience,
): Promise<string[]> {
  const lacking = async () => {
    const paths = await Promise.all(programs.map(findProgram));
    return programs.filter((_, k) => paths[k] === undefined);
  };
  const packages = async () => (await lacking()).map(({ debianPackage }) => debianPackage);
  const problem = await installPackages(packages, { boundMs, pauseMs });
  const missing = await lacking();
  if (missing.length > 0)
    throw new Error(
      `The tests need ${missing.map(({ commands }) => commands[0]).join(', ')}, not on this machine and not installed ` +
        `(${problem ?? 'apt-get brought no such program'}): install the Debian packages ` +
        `${missing.map(({ debianPackage }) => debianPackage).join(' ')}${describeVariables(missing)}.`,
    );
  return (await Promise.all(programs.map(findProgram))).map((path) => path ?? '');
}

function describeVariables(programs: readonly Program[]): string {
  const variables = programs.flatMap(({ variable }) => variable ?? []);
  return variables.length === 0 ? '' : `, or set ${variables.join(', ')} to running servers`;
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
