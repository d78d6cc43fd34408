import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'plantsync-count-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, ...lines: string[]): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  chmodSync(join(folder, name), 0o755);
};

it('names each failure with its file, its first lines and its place, before the count', async () => {
  write(
    'numbers.test.ts',
    "it('passes', () => {});",
    "describe('numbers', () => {",
    "  it('are equal', () => expect({ a: 1, b: 2 }).toEqual({ a: 1, b: 3 }));",
    '});',
  );
  write('broken.test.ts', "throw new Error('the file cannot be read');");
  const vitest = resolve('node_modules/vitest/vitest.mjs');
  const reporter = resolve('test/support/count-reporter.ts');
  const args = [
    vitest,
    'run',
    '--globals',
    '--root',
    folder,
    '--reporter',
    'default',
    '--reporter',
    reporter,
  ];
  const output = await new Promise<string>((done) => {
    execFile(process.execPath, args, { cwd: folder }, (_, stdout) => done(stdout));
  });
  expect(output.slice(output.indexOf('Failures:')).trimEnd().split('\n')).toEqual([
    'Failures:',
    'broken.test.ts',
    '  the file cannot be read',
    '  at broken.test.ts:1',
    'numbers.test.ts > numbers > are equal',
    '  expected { a: 1, b: 2 } to deeply equal { a: 1, b: 3 }',
    '  at numbers.test.ts:3',
    '  -   "b": 3,',
    '  +   "b": 2,',
    '1 passed, 2 failed',
  ]);
});

it('the failures of all runs of .ci/run stand before its last line', () => {
  cpSync(resolve('.ci/run'), join(folder, 'checkout/.ci/run'));
  write(
    'bin/npm',
    '#!/bin/sh',
    'case "$1 $2" in',
    '  "test ") echo words; echo Failures:; echo "a.test.ts > a"; echo "  one"; echo "5 passed, 1 failed"; exit 1;;',
    '  "run lint") echo "no such rule"; exit 1;;',
    '  "install --prefix") exit 1;;',
    'esac',
  );
  const path = `${join(folder, 'bin')}:${process.env.PATH}`;
  const { stdout, status } = spawnSync(join(folder, 'checkout/.ci/run'), {
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  const absent = (version: number) =>
    expect.stringMatching(new RegExp(`^Node ${version} cannot be installed: npm has no package node-`));
  expect(stdout.trimEnd().split('\n').slice(-10)).toEqual([
    'failed: run_tests',
    'a.test.ts > a',
    '  one',
    'failed: npm run lint',
    'no such rule',
    'failed: run_tests_on_node 22',
    absent(22),
    'failed: run_tests_on_node 24',
    absent(24),
    '5 passed, 3 failed',
  ]);
});
