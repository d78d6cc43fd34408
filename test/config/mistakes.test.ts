import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listOptions } from '../../src/config/json-schema.ts';
import { loadConfig } from '../../src/config/load.ts';
import { setAt, type Tree } from '../../src/config/tree.ts';
import { UsageError } from '../../src/errors.ts';
import { isTimeZone } from '../../src/time-zone.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plantsync-mistakes-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const platform = 'platform: { baseUrl: "https://p.example/gw", appId: app, secret: s3cret }\n';
const load = (yaml: string | Buffer, env: NodeJS.ProcessEnv = {}) =>
  loadConfig({ path: write('plantsync.yaml', yaml), env });

async function problemsOf(yaml: string, overrides?: Tree): Promise<readonly string[]> {
  const path = write('plantsync.yaml', yaml);
  const error = await loadConfig({ path, env: {}, ...(overrides && { overrides }) }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).problems;
}

describe('very many mistakes, or very long ones', () => {
  it('are told up to some, with the number of the others', async () => {
    const keys = Array.from({ length: 5_000 }, (_, k) => `odd${k}: 1`).join('\n');
    const problems = await problemsOf(`${keys}\n`);
    expect(problems).toHaveLength(501);
    expect(problems).toContainEqual(expect.stringMatching(/^odd0: unknown key/));
    expect(problems.at(-1)).toMatch(/^and \d{4} more$/);
  });

  it('are told once each', async () => {
    const problems = await problemsOf(`${platform}log: { level: "\${MISSING_9} \${MISSING_9}" }\n`);
    expect(problems.filter((problem) => problem.includes('MISSING_9 is not set'))).toHaveLength(1);
  });

  it('are cut where they quote a value', async () => {
    const problems = await problemsOf(platform, { log: { level: 'x'.repeat(100_000) } });
    expect(problems.find((problem) => problem.startsWith('log.level')) ?? '').toMatch(/^.{20,400}$/);
  });
});

describe('a time zone', () => {
  it.each([
    ['CST', 'Asia/Shanghai (China) or America/Chicago'],
    ['IST', 'Asia/Kolkata'],
    ['ACT', 'Australia/Darwin'],
    ['PST', 'America/Los_Angeles'],
    ['Beijing', 'Asia/Shanghai'],
    ['GMT+8', 'Asia/Shanghai or Etc/GMT-8'],
    ['+08:00', 'Asia/Shanghai or Etc/GMT-8'],
    ['UTC-5', 'Etc/GMT+5'],
    ['Asia/Shangai', 'Asia/Shanghai'],
    [' Asia/Shanghai ', 'Asia/Shanghai'],
  ])('%j is refused wherever it stands, and %s is proposed', async (name, proposal) => {
    const problems = await problemsOf(platform, {
      platform: { timezone: name, dialect: { zoneOverride: name } },
      schedule: { timezone: name },
    });
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual([
      'platform.dialect.zoneOverride',
      'platform.timezone',
      'schedule.timezone',
    ]);
    for (const problem of problems) expect(problem).toContain(`did you mean ${proposal}`);
  });

  it('passes if and only if the library of times takes it', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) expect(isTimeZone(name), name).toBe(true);
    for (const name of ['UTC', 'EST', 'PRC', 'Etc/GMT-8', 'asia/shanghai'])
      expect(isTimeZone(name)).toBe(true);
    for (const name of ['AGT', 'ART', 'BET', 'NET', 'VST', 'Z', '']) expect(isTimeZone(name)).toBe(false);
  });
});

describe('YAML', () => {
  it('names the missing quotes of a cron expression, once', async () => {
    expect(await problemsOf(`${platform}streams:\n  persons:\n    cron: */10 * * * *\n`)).toEqual([
      expect.stringMatching(/^line 4, column \d+: .*needs quotes, such as cron: "\*\/10 \* \* \* \*"$/),
    ]);
  });

  it.each([
    '*top-s3cret',
    '*top-s3cret more',
    '@top-s3cret',
    '`top-s3cret',
    '%top-s3cret',
    '!top-s3cret',
    '|top-s3cret',
  ])('quotes nothing of the secret %s', async (secret) => {
    const problems = await problemsOf(`platform:\n  secret: ${secret}\n`);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^line 2, column [12]\d: /);
    expect(problems.join()).not.toContain('s3cret');
  });

  it('refuses aliases that repeat without measure, or without end, and what is nested too deep', async () => {
    const list = (item: string) => `[${Array(10).fill(item).join()}]`;
    const bomb = `a: &a ${list('x')}\nb: &b ${list('*a')}\nc: &c ${list('*b')}\nd: ${list('*c')}\n`;
    expect(await problemsOf(bomb)).toEqual([expect.stringMatching(/too large; repeat less/)]);
    expect(await problemsOf('runtime: &r [*r]\n')).toEqual([expect.stringMatching(/alias of itself/)]);
    for (const levels of [300, 100_000])
      expect(await problemsOf(`runtime: ${'['.repeat(levels)}${']'.repeat(levels)}`)).toEqual([
        'the text is nested too deeply',
      ]);
    // Each anchor holds the one before it, some levels deeper.
    const around = (inner: string) => `${'['.repeat(90)}${inner}${']'.repeat(90)}`;
    const chain = Array.from({ length: 3 }, (_, k) => `a${k + 1}: &a${k + 1} ${around(`*a${k}`)}`);
    expect(await problemsOf(`a0: &a0 [x]\n${chain.join('\n')}\n`)).toEqual(['the text is nested too deeply']);
  });

  it.each([['0'], ['[a]'], ['text']])('refuses the merge key of %s', async (value) => {
    expect(await problemsOf(`platform:\n  <<: ${value}\n`)).toEqual([
      expect.stringMatching(/merge key \(<<\) holds something else/),
    ]);
  });

  it.each([
    ['an odd escape', 'platform: { secret: "\\Us3cret99" }'],
    ['a directive', '%s3cret 99'],
    ['a tag', 'platform: { secret: !s3cret!99 }'],
    ['an alias', 'platform: { secret: *s3cret99 }'],
  ])('quotes nothing of %s', async (_, text) => {
    const problems = await problemsOf(`${text}\n`);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join()).not.toMatch(/s3c/);
  });

  it('names each key that comes twice, in whatever map', async () => {
    const problems = await problemsOf('a: 1\nb: { c: 1, d: 2, c: 3 }\na: 2\n');
    expect(problems).toEqual([
      expect.stringMatching(/^line 3, column 1: .*unique/),
      expect.stringMatching(/^line 2, column 18: .*unique/),
    ]);
  });

  it('takes anchors and merge keys', async () => {
    const { runtime } = await load(
      `${platform}runtime:\n  - &often { objects: a, current: { every: 5s } }\n  - { <<: *often, objects: b }\n`,
    );
    expect(runtime).toMatchObject([
      { objects: 'a', current: { schedule: { everyMs: 5000 } } },
      { objects: 'b', current: { schedule: { everyMs: 5000 } } },
    ]);
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from(`\ufeff${platform}`)],
    ['UTF-16 of Windows', Buffer.from(`\ufeff${platform}`, 'utf16le')],
  ])('is read as %s', async (_, content) => {
    expect((await load(content)).platform.appId).toBe('app');
  });
});

describe('a file with a secret', () => {
  const pass = 'pä55 wörd ';
  it.each([
    ['a line end', Buffer.from(`${pass}\n`)],
    ['two line ends', Buffer.from(`${pass}\n\n`)],
    ['line ends of Windows', Buffer.from(`${pass}\r\n\r\n`)],
    ['a mark of byte order', Buffer.from(`\ufeff${pass}\r\n`)],
    ['UTF-16', Buffer.from(`\ufeff${pass}\r\n`, 'utf16le')],
    ['UTF-16, the other way round', Buffer.from(`\ufeff${pass}\r\n`, 'utf16le').swap16()],
  ])('means the same secret with %s', async (_, content) => {
    const file = write('secret', content);
    const env = { PLANTSYNC_PLATFORM__SECRET_FILE: file, PLANTSYNC_REDIS__PASSWORD_FILE: file };
    const config = await load(
      'platform: { baseUrl: "https://p.example", appId: app }\nredis: { url: "redis://h" }\n',
      env,
    );
    expect([config.platform.secret, config.redis?.password]).toEqual([pass, pass]);
  });

  it('may be empty only by mistake', async () => {
    const secretFile = write('secret', '\n\n');
    const problems = await problemsOf('{}', {
      platform: { baseUrl: 'https://p.example', appId: 'a', secretFile },
    });
    expect(problems).toEqual([expect.stringMatching(/^platform\.secret: empty: /)]);
  });
});

describe('what goes into a header', () => {
  const token = (keys: object) => problemsOf(platform, { platform: { dialect: { token: keys } } });

  it.each(['X Token', 'X-Token\n', 'Tök', 'X:Y', '\r\nHost: evil'])(
    'cannot have the name %j',
    async (name) => {
      expect(await token({ name })).toEqual([
        expect.stringMatching(/^platform\.dialect\.token\.name: .* cannot be the name of a header/),
      ]);
    },
  );

  it.each(['Host', 'content-length', 'Transfer-Encoding', 'Accept'])('is not put into %s', async (name) => {
    expect(await token({ name })).toEqual([expect.stringMatching(/a header that has a meaning of its own/)]);
  });

  it.each(['Bearer ', 'two words', 'Bearer\n', 'Bärer'])('cannot have the scheme %j', async (scheme) => {
    expect(await token({ scheme })).toEqual([
      expect.stringMatching(/^platform\.dialect\.token\.scheme: must be one word/),
    ]);
  });

  it('may have any name as a parameter, and no scheme', async () => {
    const config = await loadConfig({
      path: write('plantsync.yaml', platform),
      env: {},
      overrides: { platform: { dialect: { token: { in: 'query', name: 'access token', scheme: '' } } } },
    });
    expect(config.platform.dialect.token).toEqual({ in: 'query', name: 'access token', scheme: '' });
  });

  it('is no token of InfluxDB with a line end in it, and the token is not told', async () => {
    const influx = { url: 'http://i', org: 'o', bucket: 'b', token: 's3cret\ntoken' };
    expect(await problemsOf(platform, { influx })).toEqual([
      'influx.token: must not hold line ends or control characters; look into its file or variable',
    ]);
  });
});

describe('a value of the wrong type', () => {
  it.each([[true], [12.5], [[['x']]], [{ x: 1 }], [null]])(
    'is named with its key and what is expected: %j',
    async (value) => {
      const item: Tree = {};
      const tree: Tree = { runtime: [item] };
      for (const { path } of listOptions()) {
        const [, inList] = /^runtime\[\]\.(.*)$/.exec(path) ?? [];
        setAt(inList === undefined ? tree : item, (inList ?? path).split('.'), value);
      }
      const problems = await problemsOf(platform, tree);
      expect(problems.length).toBeGreaterThan(30);
      for (const problem of problems) {
        expect(problem).toMatch(/^[\w.[\]]+: ./);
        expect(problem).not.toMatch(
          /Invalid (input|string|option|key)|expected (string|number|array|record)/i,
        );
      }
    },
  );
});

describe('an address', () => {
  it.each([
    ['redis.url', { redis: { url: 'redis://:p@a:1,b:2' } }],
    ['influx.url', { influx: { url: 'http://a,b', org: 'o', bucket: 'b', token: 't' } }],
  ])('of several servers is refused with the reason: %s of %j', async (key, overrides) => {
    expect(await problemsOf(platform, overrides)).toEqual([
      expect.stringMatching(
        new RegExp(`^${key}: names several servers: give one, or the address that a failover moves`),
      ),
    ]);
  });

  it.each([
    ['url', 'postgres://u@a:5432,:5433/d', /^postgres.url: holds a comma without a server on both sides/],
    ['url', 'postgres://u@a:5432,b:x/d', /^postgres.url: holds a server that is not HOST or HOST:PORT/],
    ['url', 'postgres://u@a:1,b:70000/d', /^postgres.url: holds a port that is not a number from 1 to 65535/],
    ['url', 'postgres:///d?host=a,b,c&port=1,2', /^postgres.url: names 3 servers and 2 ports/],
    [
      'url',
      'postgres://u@a,b/d?target_session_attrs=any',
      /^postgres.url: has target_session_attrs=any: .*read-write/,
    ],
    [
      'url',
      'postgres://u@a/d?target_session_attrs=standby',
      /^postgres.url: has target_session_attrs=standby/,
    ],
    ['host', 'a,', /^postgres.host: holds a comma without a server on both sides/],
  ])(
    'of several servers of Postgres that do not fit together is refused: %s %s',
    async (key, value, expected) => {
      expect(await problemsOf(platform, { postgres: { [key]: value } })).toEqual([
        expect.stringMatching(expected),
      ]);
    },
  );

  it('of several servers of Postgres is accepted', async () => {
    const accepted = [
      { url: 'postgres://u:a,b@a:5432,b:5433/d?target_session_attrs=read-write' },
      { url: 'postgres:///d?host=a,b' },
      { host: 'a,b' },
    ];
    const path = write('plantsync.yaml', platform);
    for (const postgres of accepted)
      await expect(loadConfig({ path, env: {}, overrides: { postgres } })).resolves.toHaveProperty(
        'postgres.server',
      );
  });

  it('with a password that encodes nothing is refused without it', async () => {
    const problems = await problemsOf(platform, { redis: { url: 'redis://u:100%s3cret@h' } });
    expect(problems).toEqual([
      'redis.url: holds a % that encodes nothing; in a user or password write it as %25',
    ]);
  });

  it('of sentinels or of nodes of a cluster is host and port, and a cluster has its keys in one slot', async () => {
    const env = {
      PLANTSYNC_REDIS__SENTINELS__NODES: '["s2:1", "s1", "[::1]:7"]',
      PLANTSYNC_REDIS__SENTINELS__MASTER: 'plant',
    };
    expect((await load(platform, env)).redis).toMatchObject({
      prefix: 'plantsync',
      sentinels: {
        master: 'plant',
        tls: false,
        nodes: [
          { host: '::1', port: 7 },
          { host: 's1', port: 26_379 },
          { host: 's2', port: 1 },
        ],
      },
    });
    const keysOf = async (prefix: string) =>
      (await load(platform, { PLANTSYNC_REDIS__CLUSTER: 'n', PLANTSYNC_REDIS__PREFIX: prefix })).redis;
    expect(await keysOf('mine')).toMatchObject({ prefix: '{mine}', cluster: [{ host: 'n', port: 6_379 }] });
    expect(await keysOf('my{slot}')).toMatchObject({ prefix: 'my{slot}' });
  });

  it('goes with an authority of its own where there is TLS', async () => {
    const caFile = write('ca.pem', 'PEM');
    const config = await loadConfig({
      path: write('plantsync.yaml', platform),
      env: {},
      overrides: {
        postgres: { host: 'h', caFile },
        influx: { url: 'https://i', org: 'o', bucket: 'b', token: 't', caFile },
        redis: { url: 'rediss://r', caFile },
      },
    });
    expect(config.postgres.server).toEqual({
      url: 'postgres://plantsync@localhost:5432/plantsync?sslmode=verify-full&host=h',
      ca: 'PEM',
    });
    expect([config.influx?.ca, config.redis?.ca]).toEqual(['PEM', 'PEM']);
    expect(
      await problemsOf(platform, {
        redis: { url: 'redis://r', caFile },
        postgres: { host: 'h', ssl: 'off', caFile },
      }),
    ).toEqual([
      'postgres.caFile: is used only with TLS: set ssl to verify',
      'redis.caFile: is used only with TLS: let redis.url begin with rediss',
    ]);
  });
});
