import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plantsync-completion-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Returns what bash offers for the last word of the command line. */
async function complete(words: readonly string[], folder = makeFolder()): Promise<string[]> {
  const { code, stdout: script } = await runCommand(folder, ['completion', 'bash']);
  expect(code).toBe(0);
  writeFileSync(join(folder, 'completion'), script);
  const asked = `
    source ./completion
    compopt() { :; }
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _plantsync; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)(
    'bash',
    ['--norc', '-uec', asked, 'bash', 'plantsync', ...words],
    { cwd: folder },
  );
  return stdout.split('\n').filter((line) => line !== '');
}

describe('the completion of bash', () => {
  it.each([
    ['commands', ['ver'], ['verify']],
    ['commands of a command', ['rejects', 're'], ['replay']],
    ['options', ['backfill', '--dr'], ['--dry-run']],
    ['options after an argument', ['sync', 'objects', '--acc'], ['--accept-deletes']],
    ['options of the default command', ['rejects', '--li'], ['--limit']],
    ['values of an option', ['check', '--log-level', 'wa'], ['warn']],
    ['values of another option', ['run', '--role', ''], ['all', 'scheduler', 'worker', 'console']],
    ['streams', ['sync', 'org_n'], ['org_nodes', 'org_node_details', 'org_node_persons']],
    ['several streams', ['sync', 'objects', 'curr'], ['current']],
    ['streams of an option', ['rejects', 'list', '--stream', 'hist'], ['history']],
    ['operations', ['call', 'readH'], ['readHistory']],
    ['options of grants', ['grants', '--w'], ['--writer']],
    ['separators of notes', ['notes', 'export', '--separator', 's'], ['semicolon']],
    ['shells', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['no words where a value is free', ['gaps', '--object', ''], []],
  ])('knows %s', async (_, words, expected) => {
    expect(await complete(words)).toEqual(expected);
  });

  it('knows the files for a configuration', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'my configs'));
    expect(await complete(['check', '--config', 'my'], folder)).toEqual(['my configs']);
  });

  it('knows the jobs of the configuration, and needs none', async () => {
    const folder = makeFolder();
    expect(await complete(['pause', 'poll'], folder)).toEqual([]);
    writeFileSync(
      join(folder, 'plantsync.yaml'),
      'platform: { baseUrl: "http://p.example", appId: a, secret: s }',
    );
    expect(await complete(['pause', 'poll'], folder)).toEqual(['poll-1']);
  });
});

it.each(['zsh', 'fish'])('the script for %s has every command with its meaning', async (shell) => {
  const { stdout } = await runCommand(makeFolder(), ['completion', shell]);
  for (const command of ['sync', 'rejects', 'gaps', 'completion']) expect(stdout).toContain(`'${command}`);
  expect(stdout).toContain('list ranges of history that are wanted and not stored');
});

it('refuses a shell that it does not know', async () => {
  expect(await runCommand(makeFolder(), ['completion', 'csh'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/bash, zsh, fish/),
  });
});
