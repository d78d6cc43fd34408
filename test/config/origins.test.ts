import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadWithOrigins } from '../../src/config/load.ts';
import { listEffective } from '../../src/config/origins.ts';
import { createConfigRedactor } from '../../src/config/redactor.ts';

const YAML = `# a comment
platform:
  baseUrl: https://\${PLANT_HOST}/gw
  appId: app
  secretFile: SECRET_FILE
postgres:
  url: postgres://user:top-secret@db.example/plant
runtime:
  - objects: pump*
    current:
      every: 10s
      onlyChanges: true
  - history: off
streams:
  persons: { every: 5m }
  users:
    every: 5m
`;

async function load(yaml: string, env: NodeJS.ProcessEnv, overrides = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'plantsync-origins-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, 'very-secret\n');
  const path = join(folder, 'plantsync.yaml');
  writeFileSync(path, yaml.replace('SECRET_FILE', secretFile));
  const { config, layers } = await loadWithOrigins({ path, env, overrides });
  const listed = listEffective(layers, createConfigRedactor(config, env));
  const of = (name: string) => {
    const { value, origin } = listed.find((option) => option.path === name) ?? {};
    return { value, origin };
  };
  return { path, secretFile, listed, of };
}

test('each value tells the line of the file, the variable, the secret file or the command line', async () => {
  const env = {
    PLANT_HOST: 'plant.example',
    PLANTSYNC_CONSOLE__PORT: '8481',
    PLANTSYNC_STREAMS: '{users: off}',
    PLANTSYNC_STREAMS__PERSONS__EVERY: '7m',
  };
  const { of, path, secretFile } = await load(YAML, env, { log: { level: 'debug' } });
  const inFile = (line: number, variables: string[] = []) => ({ kind: 'file', file: path, line, variables });
  expect(of('platform.baseUrl')).toEqual({
    value: 'https://plant.example/gw',
    origin: inFile(3, ['PLANT_HOST']),
  });
  expect(of('platform.appId')).toEqual({ value: 'app', origin: inFile(4) });
  expect(of('platform.secret')).toEqual({
    value: '***',
    origin: { kind: 'secretFile', file: secretFile, option: 'platform.secretFile' },
  });
  expect(of('platform.secretFile')).toEqual({ value: secretFile, origin: inFile(5) });
  expect(of('platform.pageSize')).toEqual({ value: 100, origin: { kind: 'default' } });
  expect(of('runtime[0].current.every')).toEqual({ value: '10s', origin: inFile(11) });
  expect(of('runtime[0].properties')).toEqual({ value: '*', origin: { kind: 'default' } });
  expect(of('runtime[1].history.enabled')).toEqual({ value: 'off', origin: inFile(13) });
  expect(of('console.port').origin).toEqual({ kind: 'environment', variable: 'PLANTSYNC_CONSOLE__PORT' });
  expect(of('log.level')).toEqual({ value: 'debug', origin: { kind: 'commandLine' } });
  expect(of('streams.users.enabled')).toEqual({
    value: 'off',
    origin: { kind: 'environment', variable: 'PLANTSYNC_STREAMS' },
  });
  // The plain off replaces the map of the file.
  expect(of('streams.users.every').origin).toEqual({ kind: 'default' });
  expect(of('streams.persons.every')).toEqual({
    value: '7m',
    origin: { kind: 'environment', variable: 'PLANTSYNC_STREAMS__PERSONS__EVERY' },
  });
});

test('no secret is shown, also not inside an address', async () => {
  const { listed, of } = await load(YAML, { PLANT_HOST: 'x', PLANTSYNC_INFLUX__PASSWORD: 'abc' });
  expect(JSON.stringify(listed)).not.toMatch(/top-secret|very-secret|"abc"/);
  expect(of('postgres.url').value).toBe('postgres://user:***@db.example/plant');
  expect(of('influx.password').value).toBe('***');
});

test('values that anchors and merge keys bring have the line where they are written', async () => {
  const merged = `platform: &p
  baseUrl: https://plant.example
  appId: app
  secret: very-secret
runtime:
  - &first
    objects: a
    current: { every: 20s }
  - <<: *first
    objects: b
`;
  const { of } = await load(merged, {});
  expect(of('runtime[1].objects')).toMatchObject({ value: 'b', origin: { line: 10 } });
  expect(of('runtime[1].current.every')).toMatchObject({ value: '20s', origin: { line: 8 } });
});

test('without a file and a list, the options of the default list are shown', async () => {
  const env = {
    PLANTSYNC_PLATFORM__BASE_URL: 'https://plant.example',
    PLANTSYNC_PLATFORM__APP_ID: 'app',
    PLANTSYNC_PLATFORM__SECRET: 'very-secret',
  };
  const { layers } = await loadWithOrigins({ path: false, env });
  const paths = listEffective(layers, (text) => text).map(({ path }) => path);
  expect(paths).toContain('runtime[0].history.start');
  expect(new Set(paths).size).toBe(paths.length);
});
