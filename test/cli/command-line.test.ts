import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OptionVariables, runCommand } from '../support/program/run-command.ts';

/** A platform that must get no request. It counts its requests. */
let platform: Server;
let requests = 0;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plantsync-cli-'));
  platform = createServer((_request, response) => {
    requests += 1;
    response.end('{}');
  });
  await new Promise<void>((done) => platform.listen(0, '127.0.0.1', done));
  const { port } = platform.address() as AddressInfo;
  writeFileSync(
    join(folder, 'plantsync.yaml'),
    JSON.stringify({
      platform: { baseUrl: `http://127.0.0.1:${port}`, appId: 'app', secret: 'SECRET+canary/01=' },
      postgres: { dataDir: join(folder, '.plantsync') },
    }),
  );
});
afterAll(() => {
  platform.close();
  rmSync(folder, { recursive: true });
});

const plantsync = (args: readonly string[], variables?: OptionVariables) =>
  runCommand(folder, args, variables);

describe('the command line', () => {
  it.each([
    [
      ['backfill', '--from', '2024-05-02', '--to', '2024-05-01'],
      /--from 2024-05-02: must be before --to 2024-05-01/,
    ],
    [['backfill', '--from', '2024-13-01'], /--from 2024-13-01: not a time/],
    [['backfill', '--form', '2024-05-01'], /unknown option '--form' \(Did you mean --from\?\)/],
    [['backfill'], /--from TIME is missing/],
    [['backfill', '--from', '-1d', '--timezone', 'Mars/Base'], /--timezone: "Mars\/Base" is not a time zone/],
    [['synk'], /unknown command 'synk' \(Did you mean sync\?\)/],
    [['sync', 'person'], /person: did you mean persons\?/],
    [['sync', '--log-level', 'loud'], /--log-level/],
    [['call', 'listPerson'], /did you mean listPersons\?/],
    [['call', 'getPerson'], /needs --param name=/],
    [['call', 'listPersons', '--param', 'perpage=2'], /no parameter perpage; did you mean per_page\?/],
    [['call', 'readCurrent'], /needs a JSON body: --body FILE/],
    [['--config', 'x.yaml', 'sync'], /unknown option '--config': options go after the command/],
    [['simulate', '--dialect', 'foo=bar'], /there is no foo; known are tokenPlace, /],
    [['simulate', '--fault', '{kind: foo}'], /there is no kind foo; known are status, /],
    [['sync', '--config', 'none.yaml'], /none\.yaml/],
    [['run', '--role', 'worker'], /--role worker needs redis\.url/],
    [['run', '--role', 'boss'], /Allowed choices are all, scheduler, worker, console/],
  ])('refuses %j with code 2 before any request', async (args, expected) => {
    const { code, stderr, stdout } = await plantsync(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
    expect(stderr).not.toMatch(/ at .*\.ts/);
    expect(requests).toBe(0);
    expect(existsSync(join(folder, '.plantsync'))).toBe(false);
  });

  it('names all problems of a configuration in one go', async () => {
    const path = join(folder, 'bad.yaml');
    writeFileSync(
      path,
      'platform: { pageSize: 500 }\nstreams: { persons: { cron: "61 * * * *" }, objects: { cron: "0 0 30 2 *" } }\n',
    );
    const { code, stderr } = await plantsync(['run', '--config', path], {
      PLANTSYNC_PLATFORM__BASE_URL: '',
      PLANTSYNC_PLATFORM__APP_ID: '',
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^plantsync \[config\.several\]: /);
    expect(stderr).toMatch(/platform\.baseUrl: missing.* \[config\.missing_option\]$/m);
    for (const problem of ['platform.baseUrl', 'platform.appId', 'from 1 to 100', '61 * * * *', '0 0 30 2 *'])
      expect(stderr).toContain(problem);
    expect(requests).toBe(0);
  });

  it('puts an error on stdout as JSON if asked', async () => {
    const { code, stdout } = await plantsync(['sync', 'person', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'usage.unknown_stream',
        name: 'UsageError',
        exitCode: 2,
        problems: ['person: did you mean persons?'],
      },
    });
    expect(code).toBe(2);
  });

  it('has a code for each kind of mistake on a command line', async () => {
    const mistakes = [
      [['snyc'], 'usage.unknown_command'],
      [['sync', '--fast'], 'usage.unknown_option'],
      [['trigger'], 'usage.missing_argument'],
      [['migrate', 'now'], 'usage.extra_argument'],
      [['run', '--role', 'boss'], 'usage.wrong_value'],
      [['backfill', '--from', 'yesterday'], 'usage.wrong_time'],
      [['call', 'listUser'], 'usage.unknown_operation'],
    ] as const;
    for (const [args, code] of mistakes)
      expect((await plantsync([...args])).stderr).toContain(`plantsync [${code}]: `);
  });

  it('shows every option with its default in the help', async () => {
    const { code, stdout } = await plantsync(['backfill', '--help']);
    expect(code).toBe(0);
    const options = stdout
      .slice(stdout.indexOf('Options:'))
      .split(/\n {2}(?=-)/)
      .slice(1);
    for (const option of options)
      if (!/^-h|^--from/.test(option)) expect(option.replace(/\s+/g, ' ')).toMatch(/\(default: /);
  });

  it('lists all operations without a configuration', async () => {
    const path = join(folder, 'empty.yaml');
    writeFileSync(path, '');
    const { code, stdout } = await plantsync(['call', '--list', '--json', '--config', path]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).operations).toHaveLength(29);
  });

  it('explains one operation, with its parameters', async () => {
    const { code, stdout } = await plantsync(['call', '--list', 'readHistory', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      operation: { id: 'readHistory', method: 'POST', parameters: [], body: 'required' },
    });
  });

  it('shows the help and no error where no command is given', async () => {
    const { code, stderr } = await plantsync([]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Usage: plantsync/);
    expect(stderr).not.toMatch(/^plantsync |outputHelp/m);
  });

  it('says in one sentence where a file cannot be written', async () => {
    const taken = join(folder, 'taken');
    writeFileSync(taken, '');
    const path = join(taken, 'new.yaml');
    const { code, stderr } = await plantsync(['init', '--config', path]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `plantsync [file.unusable]: ${path} cannot be used: a part of the path is no folder (ENOTDIR, open)\n`,
    });
  });

  it('tries no operation without a token, and names each cause once', async () => {
    const { code, stdout } = await plantsync(['check', '--json'], {
      PLANTSYNC_PLATFORM__BASE_URL: 'http://127.0.0.1:1',
      PLANTSYNC_POSTGRES__URL: 'postgres://u@127.0.0.1:1/d',
    });
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout);
    expect(checks.filter(({ skipped }: { skipped?: true }) => !skipped)).toEqual([
      {
        what: 'platform and token',
        ok: false,
        code: 'platform.unreachable',
        detail: expect.stringMatching(/check platform\.baseUrl, the network/),
      },
      {
        what: 'PostgreSQL',
        ok: false,
        code: 'postgres.unreachable',
        detail: expect.stringMatching(/start it, or correct postgres\.url$/),
      },
    ]);
    expect(checks).toContainEqual({ what: 'readHistory', ok: false, skipped: true, detail: 'no token' });
  });

  it('says in one sentence that Postgres cannot be reached', async () => {
    const { code, stderr } = await plantsync(['sync'], {
      PLANTSYNC_POSTGRES__URL: 'postgres://u@127.0.0.1:1/d',
    });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(
      /^plantsync \[postgres\.unreachable\]: PostgreSQL at 127\.0\.0\.1:1 cannot be reached/,
    );
  });

  it('writes a configuration that only its owner can read, and replaces none', async () => {
    const path = join(folder, 'new.yaml');
    expect((await plantsync(['init'], { PLANTSYNC_CONFIG: path })).code).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, 'mine');
    const again = await plantsync(['init', '--config', path]);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    chmodSync(path, 0o644);
    expect((await plantsync(['init', '--config', path, '--force'])).code).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
