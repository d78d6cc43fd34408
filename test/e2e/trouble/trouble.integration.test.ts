import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ended } from '../../support/program/plantsync.ts';
import { freePort } from '../../support/servers/process.ts';
import { createDatabase, startPostgres, type TestPostgres } from '../../support/servers/servers.ts';
import { onlyStreams } from '../../support/stream-switches.ts';
import { always, generalError } from '../../support/stub/answers.ts';
import { makeStubPlant, smallPlant } from '../../support/stub/stub-plant.ts';

const TOKEN = '/oauth2/client/v1/accessToken';
const backfill = ['backfill', '--from', '-1d'];

let stopped: TestPostgres;
beforeAll(async () => {
  stopped = await startPostgres();
  await stopped.stop();
});
afterAll(() => stopped.close());

function expectOneSentence({ code, stdout, stderr }: Ended, exitCode: number, pattern: RegExp): void {
  const said = stderr.split('\n').filter((line) => line.startsWith('plantsync ['));
  expect({ code, stdout, said }).toEqual({
    code: exitCode,
    stdout: '',
    said: [expect.stringMatching(pattern)],
  });
  expect(stderr).not.toMatch(/^\s+at /m);
}

describe.each([['sync'], ['backfill']])('%s ends with one sentence', (command) => {
  const args = command === 'sync' ? ['sync'] : backfill;

  it('where the platform refuses the secret', async () => {
    const { start, stub, databases } = await makeStubPlant({
      ...smallPlant(),
      answer: always(TOKEN, generalError('the application is unknown')),
    });
    expectOneSentence(
      await start(args).ended,
      1,
      /token.*the application is unknown.*platform\.appId and platform\.secret/i,
    );
    expect(stub.journal.every(({ path }) => path === TOKEN)).toBe(true);
    expect(await databases.rows('select count(*) from plantsync.coverage')).toEqual([0]);
  });

  it('where the platform cannot be reached', async () => {
    const { start } = await makeStubPlant({});
    const url = `http://127.0.0.1:${await freePort()}`;
    const ended = await start(args, { PLANTSYNC_PLATFORM__BASE_URL: url }).ended;
    expectOneSentence(ended, 1, /ECONNREFUSED 127\.0\.0\.1:\d+; check platform\.baseUrl/);
  });

  it('where Postgres is stopped', async () => {
    const { start, stub } = await makeStubPlant({});
    const { ended } = start(args, {
      PLANTSYNC_POSTGRES__URL: stopped.url,
      PLANTSYNC_POSTGRES__PASSWORD: String(stopped.options.password),
    });
    expectOneSentence(await ended, 1, /PostgreSQL at 127\.0\.0\.1:\d+ cannot be reached/);
    expect(stub.journal).toEqual([]);
  });

  it('where Postgres refuses the login, naming the user and not the password', async () => {
    const { start, stub } = await makeStubPlant({});
    const ended = await start(args, { PLANTSYNC_POSTGRES__PASSWORD: 'wr0ng-word' }).ended;
    expectOneSentence(ended, 1, /PostgreSQL .*refused the login of user plantsync /);
    expect(ended.output).not.toContain('wr0ng-word');
    expect(stub.journal).toEqual([]);
  });

  it('where the database does not exist', async () => {
    const { start, databases, stub } = await makeStubPlant({});
    const url = new URL(databases.sections.postgres.url);
    url.pathname = '/nowhere';
    const ended = await start(args, { PLANTSYNC_POSTGRES__URL: url.href }).ended;
    expectOneSentence(ended, 1, /has no database "nowhere": create it, or correct postgres\.url/);
    expect(stub.journal).toEqual([]);
  });
});

describe('a wrong configuration', () => {
  it.each([['sync'], ['backfill']])('is told in one block by %s, and nothing is touched', async (command) => {
    const { configure, start, stub, databases } = await makeStubPlant({}, undefined, createDatabase);
    configure({
      platform: { secret: 'secret', pageSize: 500 },
      postgres: databases.sections.postgres,
      streams: { persons: { cron: '61 * * * *' }, objects: { cron: '0 0 30 2 *' } },
    });
    const ended = await start(command === 'backfill' ? backfill : [command]).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    const [head, ...problems] = ended.stderr.trimEnd().split('\n');
    expect(head).toMatch(/^plantsync \[config\.several\]: /);
    expect(problems).toHaveLength(5);
    for (const problem of problems) expect(problem).toMatch(/^ {2}- /);
    for (const told of [
      'platform.baseUrl',
      'platform.appId',
      '500 is not a whole number from 1 to 100',
      '61 * * * *',
      '0 0 30 2 *',
    ])
      expect(problems.join('\n')).toContain(told);
    expect(stub.journal).toEqual([]);
    expect(await databases.rows(`select 1 from pg_namespace where nspname = 'plantsync'`)).toEqual([]);
  });
});

describe('a stream that is switched off', () => {
  it.each(['false', 'no', '0'])('by the text %s is not asked for', async (off) => {
    const { run, stub, databases } = await makeStubPlant(smallPlant(), ({ postgres }) => ({
      postgres,
      streams: { ...onlyStreams('objects', 'object_properties'), objects: { details: off }, persons: off },
      runtime: [{ current: { enabled: off }, history: off }],
      alarms: { current: off, history: { enabled: off } },
    }));
    const { code, stdout } = await run(['sync', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).streams.map(({ stream }: { stream: string }) => stream)).toEqual([
      'objects',
      'object_properties',
    ]);
    expect(stub.requestsTo('/openapi/persons')).toEqual([]);
    expect(stub.requestsTo('/openapi/alarms')).toEqual([]);
    expect(stub.journal.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(await databases.count('objects')).toBe(2);
  });

  it('by the environment is not asked for', async () => {
    const { run, stub } = await makeStubPlant(smallPlant());
    expect(await run(['sync'], { PLANTSYNC_STREAMS__PERSONS: 'no' })).toMatchObject({ code: 0 });
    expect(stub.requestsTo('/openapi/persons')).toEqual([]);
    expect(stub.requestsTo('/openapi/objects').length).toBeGreaterThan(0);
  });
});
