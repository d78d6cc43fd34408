import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { makeProject } from '../../support/program/plantsync.ts';
import { startStubPlatform } from '../../support/stub/platform.ts';

interface Result {
  readonly what: string;
  readonly ok: boolean;
  readonly skipped?: true;
  readonly detail: string;
  readonly remedy?: string;
}

it('tells a failure once, with its remedy, and skips what needs what failed', async () => {
  const refusal = { status: 400, body: { code: '800001', message: 'no right to organizations' } };
  const stub = await startStubPlatform({
    answer: ({ path }) => (path === '/openapi/orgs/v1' ? refusal : undefined),
  });
  onTestFinished(() => stub.close());
  const project = makeProject({
    platform: { baseUrl: stub.baseUrl, appId: 'app', secret: 'secret' },
    postgres: { url: 'postgres://u@127.0.0.1:1/d' },
  });
  const { code, stdout } = await project.run(['check', '--json']);
  const checks: Result[] = JSON.parse(stdout).checks;
  expect(code).toBe(1);
  expect(checks.filter(({ ok, skipped }) => !ok && !skipped).map(({ what }) => what)).toEqual([
    'PostgreSQL',
    'listOrgs',
  ]);
  expect(checks.find(({ what }) => what === 'listOrgs')).toMatchObject({
    detail: expect.stringContaining('no right to organizations'),
    remedy: expect.stringContaining('"plantsync call listOrgs"'),
  });
  const skipped = checks.filter((check) => check.skipped);
  expect(skipped.map(({ what, detail }) => [what, detail])).toEqual([
    ['getOrg', 'needs listOrgs'],
    ['listOrgNodes', 'needs listOrgs'],
    ['getOrgNode', 'needs listOrgNodes'],
    ['listOrgPersons', 'needs listOrgs'],
    ['listOrgPersons (org_node_persons)', 'needs listOrgNodes'],
  ]);
  expect(checks.find(({ what }) => what === 'getPerson')).toMatchObject({
    ok: true,
    detail: 'nothing to read yet: the platform shows no persons',
  });
});

it('shows each result when it is known, and on a terminal what is being checked now', async () => {
  const texts = { stdout: '', stderr: '' };
  const open = (name: 'stdout' | 'stderr') =>
    Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 80 }).on(
      'data',
      (text: string) => {
        texts[name] += text;
      },
    );
  let seen = { stdout: '', stderr: '' };
  const stub = await startStubPlatform({
    answer: ({ path }) => {
      if (path === '/openapi/orgs/v1') seen = { ...texts };
      return undefined;
    },
  });
  onTestFinished(() => stub.close());
  const { folder } = makeProject({
    platform: { baseUrl: stub.baseUrl, appId: 'app', secret: 'secret' },
    postgres: { url: 'postgres://u@127.0.0.1:1/d' },
  });
  const io = {
    stdin: process.stdin,
    ...{ stdout: open('stdout'), stderr: open('stderr') },
    env: { PLANTSYNC_CONFIG: join(folder, 'plantsync.yaml'), PLANTSYNC_LOG__LEVEL: 'silent' },
    signal: new AbortController().signal,
  } as unknown as Io;
  expect(await runCommandLine(io, ['check'])).toBe(1);
  expect(seen.stdout).toMatch(/^ok +platform and token +\S.*\n(.*\n)*FAILED +PostgreSQL +\S/);
  expect(seen.stdout).not.toMatch(/listOrgs/);
  expect(seen.stderr).toMatch(/… +listOrgs$/);
  expect(texts.stdout).toMatch(/^ok +listOrgs +0 entries read$/m);
  expect(texts.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
