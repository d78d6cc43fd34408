import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Disk, mountDisk } from './disk.ts';
import {
  answers,
  endProcess,
  freePort,
  launch,
  makeFolder,
  type ServerCommand,
  startProcess,
  type TestServer,
} from './process.ts';
import { ensureProgram, influxd, victoriaMetrics } from './programs.ts';

export interface InfluxOptions {
  /**
   * Whether the server asks for a user name and password. `create user … with all privileges` makes the first
   * user.
   */
  readonly auth?: boolean;
  /** The size of a body, in bytes, above which the server answers 413. */
  readonly maxBodySize?: number;
  /** Whether the server keeps its files on a disk of its own, where one may be mounted. */
  readonly ownDisk?: boolean;
}

export interface TestInflux extends TestServer {
  readonly disk: Disk | undefined;
}

/** Starts InfluxDB 1.x with a folder and ports of its own. */
export async function startInflux(options: InfluxOptions = {}): Promise<TestInflux> {
  const command = await ensureProgram(influxd);
  const folder = await makeFolder('influx');
  const disk = options.ownDisk ? await mountDisk(folder) : undefined;
  const commandAt = async (name: string): Promise<ServerCommand> => {
    const port = await freePort();
    const configPath = join(folder, name);
    await writeFile(configPath, influxConfig(folder, { http: port, backup: await freePort() }, options));
    const url = `http://127.0.0.1:${port}`;
    return {
      command,
      args: ['run', '-config', configPath],
      url,
      folder,
      isReady: () => answers(`${url}/ping`),
    };
  };
  const server = await startProcess(await commandAt('influxdb.conf'));
  let wasKilled = false;
  return {
    ...server,
    disk,
    async close() {
      await server.stop();
      await disk?.remove();
      await server.close();
    },
    async kill() {
      wasKilled = true;
      await server.kill();
    },
    async start() {
      if (wasKilled) await mendLog(await commandAt('mend.conf'));
      wasKilled = false;
      await server.start();
    },
  };
}

/**
 * Starts and ends InfluxDB once where nobody can write, so that its log is whole. After a kill during a
 * write, InfluxDB 1.x appends behind the torn entry of its log, then cuts the log before that entry. At its
 * next start it finds a hole and drops the points that it acknowledged since.
 */
async function mendLog(command: ServerCommand): Promise<void> {
  await endProcess(await launch(command), 'SIGTERM');
}

function influxConfig(
  folder: string,
  ports: { http: number; backup: number },
  options: InfluxOptions,
): string {
  return `
reporting-disabled = true
bind-address = "127.0.0.1:${ports.backup}"
[meta]
  dir = "${folder}/meta"
  logging-enabled = false
[data]
  dir = "${folder}/data"
  wal-dir = "${folder}/wal"
  query-log-enabled = false
[monitor]
  store-enabled = false
[subscriber]
  enabled = false
[logging]
  level = "error"
  suppress-logo = true
[http]
  bind-address = "127.0.0.1:${ports.http}"
  auth-enabled = ${options.auth ?? false}
  max-body-size = ${options.maxBodySize ?? 25_000_000}
  log-enabled = false
`;
}

/**
 * Starts VictoriaMetrics with a folder and a port of its own. It keeps 100 years, so that it accepts old
 * data.
 */
export async function startVictoria(): Promise<TestServer> {
  const command = await ensureProgram(victoriaMetrics);
  const folder = await makeFolder('victoria');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [
    `-storageDataPath=${join(folder, 'data')}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=100y',
    '-loggerLevel=ERROR',
  ];
  return startProcess({ command, args, url, folder, isReady: () => answers(`${url}/health`) });
}
