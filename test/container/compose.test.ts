import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { type Compose, listVariables, readCompose } from './read-compose.ts';
import { pairsOf, readDockerfile } from './read-dockerfile.ts';

/** The options of the console that the image sets. */
const imageEnv = Object.assign(
  {},
  ...readDockerfile('Dockerfile')
    .filter(({ keyword }) => keyword === 'ENV')
    .map(({ text }) => pairsOf(text)),
) as Record<string, string>;

/**
 * The members of the linter's results that this test reads. The rules of Node do not find the linter's own
 * types.
 */
interface LintResult {
  readonly messages: readonly { readonly rule: string; readonly message: string }[];
}

const SERVICES = 'compose.services.yaml';
const PRODUCTION = 'compose.production.yaml';
/** The settings that somebody fills in for a real platform, each with a value of its own. */
const example = readFileSync('.env.example', 'utf8');
const settings = Object.fromEntries(
  [...example.matchAll(/^(\w+)=$/gm)].map(([, name = '']) => [
    name,
    name.endsWith('_URL') ? 'https://platform.example' : `the-${name.toLowerCase()}`,
  ]),
);
const trial = readCompose('compose.yaml');
const production = readCompose(PRODUCTION, settings);
const both: [string, Compose][] = [
  ['compose.yaml', trial],
  [PRODUCTION, production],
];

describe('the files of Compose', () => {
  /** The formatter of the project decides the layout of files. */
  const layout = ['service-keys-order', 'services-alphabetical-order', 'require-quotes-in-ports'];
  /** The services share one image, and any of them may build it. Those that extend others have theirs. */
  const rules = Object.fromEntries([...layout, 'no-build-and-image'].map((rule) => [rule, 0 as const]));
  const lint = (file: string) =>
    new DCLinter({ rules, quiet: false, debug: false, exclude: [] })
      .lintFiles([file], false)
      .flatMap(({ messages }: LintResult) => messages.map(({ rule, message }) => `${rule}: ${message}`));

  it.each(['compose.yaml', SERVICES, PRODUCTION])('%s is as the Compose specification says', (file) => {
    expect(lint(file)).toEqual([]);
  });

  it('would be refused with a member that Compose does not know', () => {
    const folder = mkdtempSync(join(tmpdir(), 'plantsync-test-compose-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const wrong = readFileSync(SERVICES, 'utf8').replace('read_only: true', 'readonly: true');
    writeFileSync(join(folder, 'compose.yaml'), wrong);
    expect(lint(join(folder, 'compose.yaml')).join()).toMatch(/invalid-schema/);
  });
});

describe('the secrets', () => {
  it('of the trial are in its file: it needs no variable, starts by its profile only, and has no real platform', () => {
    expect(listVariables('compose.yaml')).toEqual([]);
    for (const [name, { profiles }] of Object.entries(trial.services))
      expect({ name, profiles }).toEqual({ name, profiles: ['trial'] });
    expect(trial.services.worker?.environment?.PLANTSYNC_PLATFORM__BASE_URL).toBe('http://simulator:8480');
  });

  it('of a real installation have no default: each is named if it is missing', () => {
    expect(readFileSync(PRODUCTION, 'utf8') + readFileSync(SERVICES, 'utf8')).not.toMatch(
      /for-trials|simulator|demo-/,
    );
    const variables = listVariables(PRODUCTION);
    expect([...new Set(variables.map(({ name }) => name))].sort()).toEqual(Object.keys(settings).sort());
    for (const { name, rest } of variables)
      expect({ name, rest }).toEqual({ name, rest: expect.stringMatching(/^:\?./) });
    for (const name of Object.keys(settings))
      expect(() => readCompose(PRODUCTION, { ...settings, [name]: '' })).toThrow(`${name} `);
    for (const { environment = {} } of Object.values(production.services))
      for (const [key, value] of Object.entries(environment))
        if (/PASSWORD|SECRET|TOKEN|AUTH$/.test(key)) expect(Object.values(settings), key).toContain(value);
    expect(example).toMatch(/^COMPOSE_FILE=compose\.production\.yaml$/m);
  });

  it('that two services share are the same in both', () => {
    for (const [, { services }] of both) {
      const of = (name: string, key: string) => services[name]?.environment?.[key];
      expect(of('postgres', 'PLANTSYNC_PASSWORD')).toBe(of('worker', 'PLANTSYNC_POSTGRES__PASSWORD'));
      expect(of('redis', 'REDISCLI_AUTH')).toBe(of('worker', 'PLANTSYNC_REDIS__PASSWORD'));
      expect(of('influxdb', 'INFLUXDB_ADMIN_PASSWORD')).toBe(of('worker', 'PLANTSYNC_INFLUX__PASSWORD'));
      expect(of('postgres', 'READER_PASSWORD')).toBe(of('grafana', 'PLANTSYNC_POSTGRES_READER_PASSWORD'));
      expect(of('influxdb', 'INFLUXDB_READ_USER_PASSWORD')).toBe(
        of('grafana', 'PLANTSYNC_INFLUX_READER_PASSWORD'),
      );
    }
    expect(production.services.postgres?.environment?.POSTGRES_PASSWORD).toBe('the-postgres_admin_password');
  });
});

describe.each(both)('%s', (_, { services, networks, volumes }) => {
  it('sets what plantsync knows', async () => {
    for (const name of ['scheduler', 'worker', 'console', 'grants']) {
      const env = { ...imageEnv, ...services[name]?.environment };
      const config = await loadConfig({ path: false, env });
      expect(config).toMatchObject({
        platform: { baseUrl: env.PLANTSYNC_PLATFORM__BASE_URL },
        postgres: { server: { password: env.PLANTSYNC_POSTGRES__PASSWORD } },
        console: { host: '0.0.0.0', port: 8481, token: env.PLANTSYNC_CONSOLE__TOKEN },
        redis: { url: expect.stringMatching(/^redis:/), password: env.PLANTSYNC_REDIS__PASSWORD },
      });
    }
  });

  it('mounts files and volumes that there are', () => {
    for (const { volumes: mounts = [] } of Object.values(services))
      for (const mount of mounts) {
        const [source = '', target = ''] = mount.split(':');
        expect(target).toMatch(/^\//);
        if (source.startsWith('./')) expect(existsSync(source), source).toBe(true);
        else expect(Object.keys(volumes)).toContain(source);
        // Nothing changes the files of the checkout.
        if (source.startsWith('./')) expect(mount).toMatch(/:ro$/);
      }
  });

  it('gives Grafana what its data sources and dashboards ask for', () => {
    const { environment = {}, volumes: mounts = [] } = services.grafana ?? {};
    const placeOf = (path: string) =>
      mounts.find((mount) => mount.split(':')[1] === path)?.split(':')[0] ?? '';
    const provisioning = placeOf('/etc/grafana/provisioning');
    const sources = readFileSync(join(provisioning, 'datasources/plantsync.yaml'), 'utf8');
    const asked = [...sources.matchAll(/\$(\w+)/g)].map(([, name]) => name);
    expect(asked.length).toBeGreaterThan(5);
    expect(Object.keys(environment)).toEqual(expect.arrayContaining(asked));
    const { providers } = parse(readFileSync(join(provisioning, 'dashboards/plantsync.yaml'), 'utf8'));
    const dashboards = placeOf(providers[0].options.path);
    const home = environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? '';
    expect(readdirSync(dashboards)).toContain(home.slice(providers[0].options.path.length + 1));
  });

  it('lets Prometheus look at all processes of the service', () => {
    const { command = [], volumes: mounts = [] } = services.prometheus ?? {};
    const file = /--config\.file=\/etc\/prometheus\/(\S+)/.exec([command].flat().join(' '))?.[1] ?? '';
    const folder = mounts.find((mount) => mount.includes(':/etc/prometheus:'))?.split(':')[0] ?? '';
    const { scrape_configs: jobs, rule_files: rules } = parse(readFileSync(join(folder, file), 'utf8'));
    expect(jobs).toEqual([
      {
        job_name: 'plantsync',
        dns_sd_configs: [
          { names: ['scheduler', 'worker', 'console'], type: 'A', port: 8481, refresh_interval: '15s' },
        ],
      },
    ]);
    for (const name of jobs[0].dns_sd_configs[0].names) expect(services[name]?.networks).toContain('stores');
    for (const name of rules) expect(existsSync(join(folder, name)), name).toBe(true);
  });

  it('bounds each service, looks at it, and shows only pages, and those to this machine', () => {
    for (const [name, service] of Object.entries(services)) {
      const { deploy, healthcheck, security_opt: options, image } = service;
      expect(deploy?.resources?.limits, name).toEqual({
        memory: expect.any(String),
        pids: expect.any(Number),
      });
      expect(options, name).toEqual(['no-new-privileges:true']);
      // The image of plantsync has a check of its own.
      if (!image.startsWith('plantsync:')) expect(healthcheck?.test, name).toBeDefined();
      expect(image, name).toMatch(/:[\w.-]+$/);
    }
    const published = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      ['console', ['127.0.0.1:8481:8481']],
      ['grafana', ['127.0.0.1:3000:3000']],
    ]);
  });

  it('keeps the stores in a network without a way out', () => {
    expect(networks).toEqual({ outside: null, stores: { internal: true } });
    const only = (network: string) =>
      Object.keys(services).filter((name) => services[name]?.networks?.join() === network);
    expect(only('stores').sort()).toEqual(['influxdb', 'postgres', 'prometheus', 'redis']);
    expect(only('outside')).toEqual(services.simulator === undefined ? [] : ['simulator']);
  });

  it('waits for services that there are', () => {
    for (const { depends_on: needed = {} } of Object.values(services))
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(needed)));
    expect(services.grafana?.depends_on?.grants).toEqual({ condition: 'service_completed_successfully' });
  });
});
