import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';
import { type StubScript, startStubPlatform } from '../../support/stub/platform.ts';

const table = '/openapi/datatable/v1/t1/deleteDataTableEntry';

/** Runs `call` in a project whose platform is a stub. `body` is written to a file unchanged. */
async function call(
  args: readonly string[],
  { script = {}, body }: { script?: StubScript; body?: string | Buffer },
) {
  const stub = await startStubPlatform(script);
  const folder = mkdtempSync(join(tmpdir(), 'plantsync-call-'));
  onTestFinished(async () => {
    await stub.close();
    rmSync(folder, { recursive: true });
  });
  writeFileSync(
    join(folder, 'plantsync.yaml'),
    `platform: { baseUrl: "${stub.baseUrl}", appId: app, secret: S3-canary }\n`,
  );
  const file = join(folder, 'body.json');
  if (body !== undefined) writeFileSync(file, body);
  const ran = await runCommand(folder, ['call', ...args, ...(body === undefined ? [] : ['--body', file])]);
  return { ...ran, stub };
}

describe('the body of call', () => {
  it.each([
    '{"id":9007199254740993}',
    '{"id":1e400}',
    '{"id":0.12345678901234567890123}',
    ' {\r\n\t"id" : 1.0 ,"name":"\\u00e9\\/\\ud800"}\n',
  ])('goes out byte for byte: %j', async (body) => {
    const { stub, code } = await call(['deleteDatatableEntry', '--param', 'objName=t1'], { body });
    expect(code).toBe(0);
    expect(stub.requestsTo(table).map(({ text }) => text)).toEqual([body]);
  });

  it('loses the mark of byte order that an editor puts before it, and nothing else', async () => {
    const { stub } = await call(['deleteDatatableEntry', '--param', 'objName=t1'], {
      body: '\uFEFF{"id":9007199254740993}',
    });
    expect(stub.requestsTo(table)[0]?.text).toBe('{"id":9007199254740993}');
  });

  it.each([
    ['deleteDatatableEntry', ' {\n } ', /would delete every entry/],
    ['deleteDatatableEntry', '{"id":1,"id":2}', /states "id" twice/],
    ['deleteDatatableEntry', '{"id":1,"\\u0069d":"1"}', /states "id" twice/],
    ['updateDatatableEntry', '{"where":{"a":1},"update":{"b":2},"where":{}}', /states "where" twice/],
    ['updateDatatableEntry', '{"where":{ },"update":{"b":2}}', /would change every entry/],
  ])('is refused before it is sent where it is empty or ambiguous: %s %s', async (id, body, message) => {
    const { stub, code, stderr } = await call([id, '--param', 'objName=t1'], { body });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
    expect(stub.journal).toEqual([]);
  });

  it.each([
    ['{"id":', /--body .*JSON/],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not UTF-8/],
  ])('is refused where it is not JSON in UTF-8', async (body, message) => {
    const { stub, code, stderr } = await call(['deleteDatatableEntry', '--param', 'objName=t1'], { body });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stub.journal).toEqual([]);
  });
});

describe('what call prints', () => {
  it.each(['addDatatableEntry', 'updateDatatableEntry'])('is the Location of %s', async (id) => {
    const { stdout } = await call([id, '--param', 'objName=t1', '--json'], {
      body: '{"where":{"a":1},"update":{"b":2}}',
    });
    expect(JSON.parse(stdout)).toEqual({
      status: 201,
      location: `/openapi/datatable/v1/t1/${id.replace('Datatable', 'DataTable')}`,
      body: {},
    });
  });

  it('is the Location of a workflow that was started', async () => {
    const { stdout } = await call(['startWorkflow', '--param', 'diagramCode=d1'], { body: '{"data":{}}' });
    expect(JSON.parse(stdout)).toMatchObject({ status: 201, location: '/openapi/workflows/v1/start/d1' });
  });

  it('keeps every digit of a reply', async () => {
    const text = '{"name":"o","a":9007199254740993,"b":0.12345678901234567890123,"c":1e400,"d":1.0}';
    const { stdout } = await call(['getObject', '--param', 'objName=o'], {
      script: { answer: ({ path }) => (path === '/openapi/objects/v1/o' ? { text } : undefined) },
    });
    expect(stdout.replace(/\s/g, '')).toBe(text);
  });
});

describe('the authorize step', () => {
  const authorize = '/oauth2/code/v1/authorize';
  const args = ['authorizeCode', '--param', 'redirectUri=http://me.test/back', '--param', 'state=s1'];
  const redirect = (location: string): StubScript => ({
    answer: ({ path }) => (path === authorize ? { status: 302, headers: { location } } : undefined),
  });

  it('prints code and state of the redirection, which is not followed', async () => {
    const location = 'http://me.test/back?code=C-canary%2B1&state=s1';
    const { stdout, stderr, code, stub } = await call(args, { script: redirect(location) });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ status: 302, location, code: 'C-canary+1', state: 's1' });
    expect(stderr).not.toMatch(/canary/);
    expect(stub.journal.map(({ path }) => path)).toEqual([authorize]);
  });

  it.each([
    ['/login', /the redirection carries no code: a user has to authorize/],
    ['http://me.test/back?error=access_denied', /did not authorize the application \(access_denied\)/],
    [
      'http://me.test/back?code=C-canary&state=other',
      /the state of the redirection is not the one that was sent/,
    ],
  ])('fails with the reason and without the code: %s', async (location, message) => {
    const { stderr, stdout, code } = await call(args, { script: redirect(location) });
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr + stdout).not.toMatch(/canary/);
  });
});
