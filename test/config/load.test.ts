// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration has this syntax of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoadOptions, loadConfig } from '../../src/config/load.ts';
import { UsageError } from '../../src/errors.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plantsync-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const platform = 'platform: { baseUrl: "https://p.example/gw", appId: app, secret: s3cret }\n';
const load = (yaml: string, env: NodeJS.ProcessEnv = {}, overrides?: LoadOptions['overrides']) =>
  loadConfig({ path: write('plantsync.yaml', yaml), env, ...(overrides ? { overrides } : {}) });

async function problemsOf(yaml: string, env: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  const error = await load(yaml, env).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).problems;
}

describe('loadConfig', () => {
  it('fills in every default', async () => {
    const config = await load(platform);
    expect(config.platform).toMatchObject({ pageSize: 100, deadlineMs: 120_000, maxBodyBytes: 2 ** 26 });
    expect(config.postgres).toEqual({
      schema: 'plant',
      ledgerSchema: 'plantsync',
      biSchema: 'bi',
      samples: true,
      poolSize: 8,
      dataDir: './.plantsync',
      server: undefined,
    });
    expect(config.influx).toBeUndefined();
    expect(config.redis).toBeUndefined();
    expect(config.runtime).toHaveLength(1);
    expect(config.runtime[0]).toMatchObject({
      objects: '*',
      history: { start: { backMs: 30 * 86_400_000 } },
    });
  });

  it('names all problems at once, each with its key and what to do', async () => {
    const problems = await problemsOf(`
platform: { pageSize: 500 }
streams: { persons: { cron: "61 * * * *" }, objects: { cron: "0 0 30 2 *" } }
postgres: { url: "postgres://h/d", host: other }
`);
    expect(problems).toEqual([
      expect.stringMatching(/^platform\.baseUrl: missing: .*PLANTSYNC_PLATFORM__BASE_URL/),
      expect.stringMatching(/^platform\.appId: missing: /),
      expect.stringMatching(/^platform\.secret: missing: .*platform\.secretFile/),
      'platform.pageSize: 500 is not a whole number from 1 to 100 [config.wrong_value]',
      'postgres.host: give either url or this, not both [config.wrong_value]',
      expect.stringMatching(/^streams\.persons\.cron: .*61.*0-59/),
      expect.stringMatching(/^streams\.objects\.cron: .*never fires/),
    ]);
  });

  it('refuses unknown keys and names the nearest right one, also where it stands elsewhere', async () => {
    const problems = await problemsOf(
      `${platform}platfrom: {}\nruntime: [{ objekts: a }]\nlimits: { pageSize: 5 }\nlog: { levle: info }`,
    );
    expect(problems).toEqual([
      'runtime[0].objekts: unknown key; did you mean objects?',
      'log.levle: unknown key; did you mean level?',
      'limits.pageSize: unknown key; did you mean platform.pageSize?',
      'platfrom: unknown key; did you mean platform?',
    ]);
  });

  it.each(['false', 'no', 'off', '0', 'NO', '"false"', '"0"'])('takes %s for false', async (text) => {
    const config = await load(
      `${platform}streams: { persons: { enabled: ${text} }, objects: ${text} }\nruntime: [{ current: ${text} }]`,
    );
    expect(config.streams.persons?.enabled).toBe(false);
    expect(config.streams.objects?.enabled).toBe(false);
    expect(config.runtime[0]?.current.enabled).toBe(false);
  });

  it('refuses a boolean that is none', async () => {
    expect(await problemsOf(`${platform}postgres: { samples: maybe }`)).toEqual([
      'postgres.samples: "maybe" is neither true nor false',
    ]);
  });

  it('takes one function of an aggregate or several, each once, and refuses buckets that a day does not hold in whole', async () => {
    const read = async (history: string) =>
      (await load(`${platform}runtime: [{ history: ${history} }]`)).runtime[0]?.history;
    expect(await read('{ aggregate: { period: 5m } }')).toMatchObject({
      raw: true,
      aggregate: { periodSec: 300, functions: ['mean'] },
    });
    expect(await read('{ raw: no, aggregate: { period: 1d, functions: last } }')).toMatchObject({
      raw: false,
      aggregate: { periodSec: 86_400, functions: ['last'] },
    });
    expect((await read('{ aggregate: { period: 90s, functions: [max, min, max] } }'))?.aggregate).toEqual({
      periodSec: 90,
      functions: ['max', 'min'],
    });
    expect(
      await problemsOf(
        `${platform}runtime: [{ history: { aggregate: { period: 7m, functions: [median] } } }, { history: { raw: false } }, { history: { aggregate: { period: 7d, functions: [] } } }]`,
      ),
    ).toEqual([
      expect.stringMatching(/^runtime\[0\]\.history\.aggregate\.period: 420 s do not divide a day/),
      expect.stringMatching(
        /^runtime\[0\]\.history\.aggregate\.functions\[0\]: "median" is not one of mean, sum/,
      ),
      expect.stringMatching(/^runtime\[1\]\.history\.raw: nothing would be read/),
      expect.stringMatching(/^runtime\[2\]\.history\.aggregate\.period: 604800 s do not divide a day/),
      expect.stringMatching(/^runtime\[2\]\.history\.aggregate\.functions: empty: name some of mean/),
    ]);
  });

  it('reads durations, sizes and schedules into numbers', async () => {
    const config = await load(`${platform}
streams: { persons: { every: 2h }, objects: { cron: "*/5 * * * *" } }
limits: { shutdownTimeout: 1500ms, bytesInFlight: 1.5GiB }
runtime: [{ history: { start: "2024-05-01T08:00:00.5+08:00", sweep: { range: 14d } } }]`);
    expect(config.streams.persons?.schedule).toEqual({ everyMs: 7_200_000 });
    expect(config.streams.objects?.schedule).toEqual({ cron: '*/5 * * * *' });
    expect(config.limits).toMatchObject({ shutdownTimeoutMs: 1500, bytesInFlight: 1.5 * 2 ** 30 });
    expect(config.runtime[0]?.history).toMatchObject({
      start: { at: Date.UTC(2024, 4, 1, 0, 0, 0, 500) * 1000 },
      sweep: { enabled: true, rangeMs: 14 * 86_400_000, schedule: { everyMs: 86_400_000 } },
    });
  });

  it.each([
    ['streams: { persons: { every: 30 } }', /^streams\.persons\.every: 30 is not a duration/],
    ['streams: { persons: { every: 5min } }', /"5min" is not a duration such as 10s, 5m, 2h or 7d/],
    ['streams: { persons: { every: 0s } }', /too short/],
    ['streams: { persons: { every: 5m, cron: "* * * * *" } }', /either every or cron/],
    ['streams: { persons: { cron: "* * * *" } }', /4 fields/],
    ['streams: { persons: { cron: "H * * * *" } }', /H is not supported/],
    ['schedule: { timezone: Asia/Shanghia }', /did you mean Asia\/Shanghai\?/],
    ['limits: { bytesInFlight: 64 }', /not a size/],
    ['log: { level: loud }', /not one of trace, debug/],
    ['runtime: { objects: a }', /must be a list of selections/],
    ['runtime: [{ history: { start: yesterday } }]', /neither a duration .* nor a time/],
    ['influx: { token: t }', /^influx\.url: missing/],
    ['influx: { url: "http://i:8086", version: 4 }', /must be 1, 2 or 3/],
    ['influx: { url: "http://i:8086", version: 1, database: d, org: o }', /org: is not used with InfluxDB 1/],
    ['influx: { tags: { object: x } }', /is taken/],
    ['redis: { password: p }', /^redis\.url: missing/],
    ['redis: { url: "http://r:6379" }', /^redis\.url: begins with http/],
    ['redis: { url: "redis://:q@r", password: p }', /^redis\.password: give it either here or in url/],
    ['redis: { url: "redis://r", prefix: "a:b" }', /^redis\.prefix: must be a short name/],
    [
      'redis: { url: "redis://r", cluster: [n:1] }',
      /^redis\.cluster: give only one of redis\.url and redis\.cluster/,
    ],
    [
      'redis: { cluster: [n:1], sentinels: { nodes: s, master: m } }',
      /^redis\.cluster: give only one of redis\.sentinels/,
    ],
    ['redis: { sentinels: { nodes: [s1, s2] } }', /^redis\.sentinels\.master: missing: the name under which/],
    [
      'redis: { sentinels: { nodes: "redis://s1", master: m } }',
      /^redis\.sentinels\.nodes: holds what is not an address such as redis-1\.example:26379/,
    ],
    [
      'redis: { sentinels: { nodes: s1, master: m, caFile: LICENSE } }',
      /^redis\.sentinels\.caFile: is used only with TLS: set redis\.sentinels\.tls: true/,
    ],
    [
      'redis: { cluster: [n:1], caFile: LICENSE }',
      /^redis\.caFile: is used only with TLS: set redis\.tls: true/,
    ],
    [
      'redis: { cluster: [n:1], tls: true, certFile: LICENSE }',
      /^redis\.keyFile: missing: a client certificate needs both/,
    ],
    [
      'redis: { cluster: [n:99999] }',
      /^redis\.cluster: holds what is not an address such as redis-1\.example:6379/,
    ],
    ['redis: { cluster: [n:1], database: 2 }', /^redis\.database: a cluster has only database 0/],
    [
      'redis: { cluster: [n:1], prefix: "a{}b" }',
      /^redis\.prefix: in a cluster it may have one part in braces/,
    ],
    ['redis: { url: "redis://r", username: u }', /^redis\.username: write the user into redis\.url/],
    ['redis: { url: "redis://r", database: 1 }', /^redis\.database: write the database into redis\.url/],
    ['redis: { url: "redis://r", tls: true }', /^redis\.tls: redis\.url says it: rediss is TLS/],
    ['redis: { tls: true }', /^redis\.url: missing: the server that tls is about/],
    ['postgres: { password: x }', /^postgres\.host: missing: the server that password is about/],
    ['postgres: { url: "mysql://h/d" }', /begins with mysql/],
    [
      'postgres: { url: "postgres://u:p@ss/canary@h/d" }',
      /^postgres\.url: holds an @ .* in postgres\.password$/,
    ],
    ['streams: off', /^streams: must be a map of options; known here: org_trees, /],
    ['streams: { persons: 5m }', /^streams\.persons: must be a map of options; known here: enabled, every/],
    ['streams: { person_details: off }', /person_details: unknown key; known here: org_trees, org_nodes, /],
    ['streams: { users: { details: 5m } }', /details: must be a map of options; known here: enabled, every/],
    ['streams: { users: { details: { cron: "* * * * *" } } }', /details\.cron: unknown key/],
    ['streams: { networks: { details: off } }', /^streams\.networks\.details: unknown key; known here: /],
    ['streams: { networks: { filter: {} } }', /^streams\.networks\.filter: unknown key; known here: /],
    ['streams: { users: { keepRaw: perhaps } }', /keepRaw: "perhaps" is neither true nor false/],
    ['limits: { deleteAfterMissing: 0 }', /0 is not a whole number from 1 to 100/],
    ['limits: { maxDeleteShare: 30 }', /30 is not a share such as 30% or 0\.3/],
    ['limits: { maxDeleteShare: 130% }', /"130%" is not a share/],
    ['limits: { maxDeleteShare: -0.1 }', /-0\.1 is not a share/],
    ['limits: { maxDeleteShare: some }', /"some" is not a share/],
    ['limits: { keepChanges: 365 }', /365 is not a duration/],
    ['limits: [1]', /^limits: must be a map of options; known here: shutdownTimeout/],
    ['postgres: { schema: "Plant Data" }', /plain lower-case name/],
  ])('refuses %s', async (yaml, expected) => {
    expect(await problemsOf(`${platform}${yaml}`)).toEqual([expect.stringMatching(expected)]);
  });

  it('lets the environment win over the file, and overrides over both', async () => {
    const env = {
      PLANTSYNC_PLATFORM__PAGE_SIZE: '50',
      PLANTSYNC_STREAMS__OBJECT_PROPERTIES__ENABLED: 'no',
      PLANTSYNC_RUNTIME: '[{"objects":"pump*"}]',
      PLANTSYNC_INFLUX__TAGS: 'site: north',
      PLANTSYNC_LOG__LEVEL: 'debug',
      PLANTSYNC_PLATFORM__RETRIES: '',
    };
    const config = await load(`${platform}log: { level: warn }`, env, { log: { level: 'error' } });
    expect(config.platform).toMatchObject({ pageSize: 50, retries: 5 });
    expect(config.streams.object_properties?.enabled).toBe(false);
    expect(config.runtime[0]?.objects).toBe('pump*');
    expect(config.log.level).toBe('error');
  });

  it('needs no file if the environment says enough', async () => {
    const config = await loadConfig({
      env: {
        PLANTSYNC_PLATFORM__BASE_URL: 'http://p',
        PLANTSYNC_PLATFORM__APP_ID: '12',
        PLANTSYNC_PLATFORM__SECRET: 's',
      },
    });
    expect(config).toMatchObject({ platform: { baseUrl: 'http://p', appId: '12' } });
  });

  it('refuses variables that name no option, but not those of Kubernetes', async () => {
    const env = {
      PLANTSYNC_PLATFORM_BASE_URL: 'http://p',
      PLANTSYNC_PORT_80_TCP_ADDR: '10.0.0.1',
      PLANTSYNC_SERVICE_HOST: '10.0.0.1',
      PLANTSYNC_WORKER_PORT: 'tcp://10.0.0.1:8481',
    };
    expect(await problemsOf(platform, env)).toEqual([
      'PLANTSYNC_PLATFORM_BASE_URL: no such option; did you mean PLANTSYNC_PLATFORM__BASE_URL?',
    ]);
  });

  it('takes a port for an option, though Kubernetes has variables that end like it', async () => {
    const config = await load(platform, { PLANTSYNC_CONSOLE__PORT: '9100', PLANTSYNC_CONSOLE__HOST: '::' });
    expect(config.console).toMatchObject({ port: 9100, host: '::' });
  });

  it('replaces variables inside values', async () => {
    const yaml =
      'platform: { baseUrl: "http://${HOST}:${PORT:-8080}/x", appId: "$${literal}", secret: "${S}", pageSize: "${N}" }';
    const config = await load(yaml, { HOST: 'h', S: 'a: "b" # {c', N: '7' });
    expect(config.platform).toMatchObject({
      baseUrl: 'http://h:8080/x',
      appId: '${literal}',
      secret: 'a: "b" # {c',
      pageSize: 7,
    });
  });

  it.each([
    ['config.unknown_key', 'limits: { pageSize: 5 }'],
    ['config.wrong_value', 'limits: { rowsPerRead: many }'],
    ['config.not_yaml', '- a'],
    ['config.several', 'limits: { pageSize: 5, rowsPerRead: many }'],
  ])('has the code %s', async (code, yaml) => {
    await expect(load(`${yaml === '- a' ? '' : platform}${yaml}`)).rejects.toMatchObject({ code });
  });

  it('has the codes of a missing option, file and variable', async () => {
    await expect(load('platform: { appId: a, secret: s }')).rejects.toMatchObject({
      code: 'config.missing_option',
    });
    await expect(loadConfig({ path: join(folder, 'none.yaml'), env: {} })).rejects.toMatchObject({
      code: 'config.file_unreadable',
    });
    await expect(load(platform.replace('s3cret', '"${NO_SUCH}"'))).rejects.toMatchObject({
      code: 'config.missing_variable',
    });
  });

  it('names a variable that is missing, and the key that needs it', async () => {
    expect(await problemsOf(platform.replace('s3cret', '"${NO_SUCH}"'))).toEqual([
      'platform.secret: the environment variable NO_SUCH is not set',
    ]);
  });

  it('does not miss a variable in a value that the environment replaces', async () => {
    const yaml = platform.replace('s3cret', '"${NO_SUCH}"');
    const config = await load(yaml, { PLANTSYNC_PLATFORM__SECRET: 'other' });
    expect(config.platform.secret).toBe('other');
  });

  it('keeps a stream switched off when the environment changes its schedule', async () => {
    const config = await load(`${platform}streams: { persons: off }`, {
      PLANTSYNC_STREAMS__PERSONS__EVERY: '5m',
    });
    expect(config.streams.persons).toMatchObject({ enabled: false, schedule: { everyMs: 300_000 } });
  });

  it('reads secrets from files, without the line end', async () => {
    const secretFile = write('secret', 'from file \n');
    const config = await load(`platform: { baseUrl: "http://p", appId: a, secretFile: ${secretFile} }`);
    expect(config.platform.secret).toBe('from file ');
    expect(config.platform).not.toHaveProperty('secretFile');
  });

  it('reads certificates from files', async () => {
    const config = await load(platform, { PLANTSYNC_PLATFORM__CA_FILE: write('ca.pem', 'PEM\n') });
    expect(config.platform.ca).toBe('PEM');
  });

  it('refuses a secret beside its file, and a file that cannot be read', async () => {
    const yaml = `platform: { baseUrl: "http://p", appId: a, secret: s, secretFile: ${write('secret', 'x')} }
postgres: { host: h, passwordFile: ${join(folder, 'none')} }`;
    expect(await problemsOf(yaml)).toEqual([
      'platform.secretFile: give either secret or secretFile, not both [config.secret_twice]',
      expect.stringMatching(/^postgres\.passwordFile: .*none.* \[config\.secret_unreadable\]$/),
    ]);
  });

  it('takes a Postgres password as it is, beside an address or a host', async () => {
    const beside = await load(`${platform}postgres: { url: "postgres://u@h/d", password: "p@ss:w/rd#1%" }`);
    expect(beside.postgres.server).toEqual({ url: 'postgres://u@h/d', password: 'p@ss:w/rd#1%' });
    const parts = await load(`${platform}postgres: { host: /run/pg, user: "a b", password: "p@ss" }`);
    expect(parts.postgres.server).toEqual({
      url: 'postgres://a%20b@localhost:5432/plantsync?sslmode=disable&host=%2Frun%2Fpg',
      password: 'p@ss',
    });
  });

  it('never repeats an address, since it may hold a password', async () => {
    const problems = await problemsOf(`${platform}postgres: { url: "postgres://u:p#canary@h/d" }`);
    expect(problems.join()).toMatch(/postgres\.url: .*postgres\.password/);
    expect(problems.join()).not.toMatch(/canary/);
  });

  it('says where a file is not YAML, and which file is missing', async () => {
    await expect(load('a: [1')).rejects.toThrow(/plantsync\.yaml cannot be read as YAML/);
    await expect(load('a: 1\na: 2')).rejects.toThrow(/unique/);
    await expect(load('- a')).rejects.toThrow(/must hold a map/);
    await expect(loadConfig({ path: join(folder, 'none.yaml'), env: {} })).rejects.toThrow(/none\.yaml/);
  });
});
