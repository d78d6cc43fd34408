import { readdirSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { layOut } from '../../../src/cli/output/lay-out.ts';
import { openProgress } from '../../../src/cli/output/progress.ts';
import { makeTable } from '../../../src/cli/output/table.ts';
import { silentLog } from '../../../src/log.ts';
import { makeProject } from '../../support/program/plantsync.ts';
import { runCommand } from '../../support/program/run-command.ts';
import { startStubPlatform } from '../../support/stub/platform.ts';

/** A hostile name: it clears the terminal, sets its title, turns text around, and hides text. */
const hostile = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202etxt\u200b';
const shown = '\\u001b[2J\\u001b]0;title\\u0007\\u009b31m\\u202etxt\\u200b';
/** Characters that no output may hold. */
const harmful = /[^\P{C}\n\t]/u;

async function makeHostilePlant() {
  const stub = await startStubPlatform({
    lists: { '/openapi/persons/v1': [{ name: hostile, showName: hostile }] },
    answer: ({ path }) =>
      path === '/openapi/users/v1'
        ? { status: 400, body: { code: '800001', message: `no ${hostile}` } }
        : undefined,
  });
  onTestFinished(() => stub.close());
  return makeProject({
    platform: { baseUrl: stub.baseUrl, appId: 'app', secret: 'secret' },
    postgres: { url: `postgres://u@127.0.0.1:1/d` },
  });
}

describe('what a command prints', () => {
  it.each([
    ['a refusal', ['call', 'listUsers'], 1],
    ['a refusal as JSON', ['call', 'listUsers', '--json'], 1],
    ['a table', ['check'], 1],
    ['a document', ['check', '--json'], 1],
    ['a reply', ['call', 'listPersons'], 0],
    ['a wrong argument', ['call', hostile], 2],
    ['a wrong option', ['sync', `--${hostile}`], 2],
    ['an unknown command', [hostile], 2],
  ])('steers no terminal: %s', async (_, args, exitCode) => {
    const { folder } = await makeHostilePlant();
    const { code, stdout, stderr } = await runCommand(folder, args);
    expect(stdout + stderr).not.toMatch(harmful);
    expect(stdout + stderr).toMatch(/\\u001b\[2J/);
    expect(code).toBe(exitCode);
  });

  it('is JSON with the same texts', async () => {
    const { folder } = await makeHostilePlant();
    const { stdout } = await runCommand(folder, ['call', 'listPersons']);
    expect(JSON.parse(stdout).list[0].name).toBe(hostile);
  });

  it('keeps the columns of a table, and each entry on a line of its own', () => {
    const rows = [
      [`a\nb${hostile}`, 1],
      ['c', 2],
    ];
    const lines = layOut([makeTable(['name', 'n'], rows)], 200);
    expect(lines).toHaveLength(4);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines[2]).toContain(`a\\u000ab${shown}`);
  });

  it('is harmless in the lines of progress', async () => {
    const terminal = Object.assign(new PassThrough(), { columns: 200, isTTY: true }) as never;
    const progress = openProgress({ log: silentLog, terminal, clock: Date.now });
    const line = progress.start(hostile, 2, 'records');
    line.finish(hostile);
    progress.close();
    (terminal as PassThrough).end();
    const drawn = await readText(terminal as PassThrough);
    expect(drawn).toContain(shown);
    expect(drawn).not.toContain(hostile);
  });

  it('is written in two places, which see to that', () => {
    const files = readdirSync('src/cli', { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && name !== 'io.ts',
    );
    const writing = files.filter((name) =>
      /\bstd(out|err)\.write\(|console\.\w+\(/.test(readFileSync(`src/cli/${name}`, 'utf8')),
    );
    // The log escapes its lines itself. The watch moves the cursor between lines that are escaped already.
    expect(writing.toSorted()).toEqual(['commands/status/watch-status.ts', 'open/open-command-log.ts']);
  });
});
