import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { startStubPlatform } from '../../support/stub/platform.ts';

const ENTER = '\r';
const CLEAR = '\u0015';
const DOWN = '\u001b[B';

/** A terminal on which somebody types an answer as soon as the next question of the list is shown. */
function openTypist(folder: string, answers: readonly (readonly [question: RegExp, keys: string])[]) {
  const left = [...answers];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const texts = { stdout: '', stderr: '' };
  let unread = '';
  const open = (name: 'stdout' | 'stderr') =>
    Object.assign(new PassThrough({ encoding: 'utf8' }), {
      isTTY: true,
      columns: 200,
      // A prompt ends its output, as only the outputs of the process ignore.
      end: () => undefined,
    }).on('data', (text) => {
      texts[name] += text;
      if (name === 'stderr') unread += text;
      const [question, keys] = left[0] ?? [];
      if (question === undefined || !question.test(unread)) return;
      left.shift();
      unread = '';
      setImmediate(() => stdin.write(keys));
    });
  const io = {
    ...{ stdin, stdout: open('stdout'), stderr: open('stderr') },
    env: { PLANTSYNC_CONFIG: join(folder, 'plantsync.yaml') },
    signal: new AbortController().signal,
  } as unknown as Io;
  return { io, texts, left };
}

it('init tries each answer before it writes, and lets the user correct or keep it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plantsync-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stub = await startStubPlatform({});
  onTestFinished(() => stub.close());
  const { io, texts, left } = openTypist(folder, [
    [/Address of the platform/, `http://127.0.0.1:1${ENTER}`],
    [/Application id/, `app${ENTER}`],
    [/Application secret/, `secret${ENTER}`],
    [/Time zone/, ENTER],
    [/do not work/, ENTER],
    [/Address of the platform/, `${CLEAR}${stub.baseUrl}${ENTER}`],
    [/Application id/, ENTER],
    [/Application secret/, `secret${ENTER}`],
    [/Time zone/, ENTER],
    [/Start of history/, `7days${ENTER}`],
    [/do not work/, ENTER],
    [/Start of history/, `${CLEAR}7d${ENTER}`],
    [/PostgreSQL/, `postgres://u@127.0.0.1:1/d${ENTER}`],
    [/Password/, ENTER],
    [/do not work/, DOWN + ENTER],
    [/InfluxDB/, ENTER],
    [/Redis/, ENTER],
    [/Port of the console/, `8481${ENTER}`],
    [/listens on/, ENTER],
    [/File with the token/, `${join(folder, 'token')}${ENTER}`],
    [/random token/, ENTER],
  ]);
  expect(await runCommandLine(io, ['init'])).toBe(0);
  expect(left).toEqual([]);
  expect(texts.stdout).toMatch(
    /^FAILED +platform and token [\s\S]*^ok +platform and token [\s\S]*^FAILED +PostgreSQL /m,
  );
  expect(texts.stderr).toMatch(/history\.start/);
  const path = join(folder, 'plantsync.yaml');
  const config = await loadConfig({ path, env: {} });
  expect(config.platform).toMatchObject({ baseUrl: stub.baseUrl, appId: 'app', secret: 'secret' });
  const week = { backMs: 7 * 86_400_000 };
  expect([config.runtime[0]?.history.start, config.alarms.history.start]).toEqual([week, week]);
  expect(config.postgres.server).toMatchObject({ url: 'postgres://u@127.0.0.1:1/d' });
  expect(config.console).toMatchObject({ port: 8481, host: '127.0.0.1' });
  expect(config.console.token).toBe(readFileSync(join(folder, 'token'), 'utf8').trim());
  expect(statSync(join(folder, 'token')).mode & 0o777).toBe(0o600);
  expect(texts.stdout + texts.stderr).not.toContain(config.console.token);
});
