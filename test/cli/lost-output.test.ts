import { spawnSync } from 'node:child_process';
import { describe, expect, inject, it } from 'vitest';
import { makeProject } from '../support/program/plantsync.ts';

/** Runs a line of bash with `plantsync` in it. Whatever the line writes to file descriptor 3 is returned. */
function runShell(line: string) {
  const { status, stdout, stderr, output } = spawnSync(
    'bash',
    ['-c', line.replace(/\bplantsync /g, `node ${inject('program')} `)],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    },
  );
  return { code: status, stdout, stderr, told: output[3] };
}

describe('an output that cannot be written', () => {
  it.each(['call --list', 'call --list --json', '--help'])(
    'ends %s with one sentence where the disk is full',
    (args) => {
      const { code, stderr } = runShell(`plantsync ${args} > /dev/full`);
      expect(stderr).toBe(
        'plantsync [interrupted.output_closed]: the output cannot be written (ENOSPC); write it elsewhere\n',
      );
      expect(code).toBe(1);
    },
  );

  it('is no failure where the reader has seen enough, or is gone', () => {
    for (const reader of ['head -1', 'true']) {
      const { stderr, told } = runShell(
        `plantsync call --list | ${reader} > /dev/null; echo "\${PIPESTATUS[0]}" >&3`,
      );
      expect(stderr).toBe('');
      expect(told).toBe('0\n');
    }
  });

  it.each(['2> /dev/full', '2>&-', '2> >(true)'])(
    'on stderr (%s) changes nothing of the outcome',
    (redirection) => {
      expect(runShell(`plantsync call --list ${redirection}`)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('listUsers'),
      });
      expect(runShell(`plantsync call nonsense ${redirection}`)).toMatchObject({ code: 2, stdout: '' });
    },
  );

  it('is none where it is closed from the beginning', () => {
    expect(runShell('plantsync call --list >&- 2>&-')).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['TERM', 'HUP', 'INT'])('of the log ends no work, which SIG%s still ends in order', (signal) => {
    const { folder } = makeProject();
    const { code, told } = runShell(
      `cd ${folder}; plantsync simulate --port 0 --json > said 2> /dev/full & service=$!
       until [ -s said ]; do sleep 0.05; done
       kill -${signal} $service; wait $service; echo "$?" >&3`,
    );
    expect(told).toBe('0\n');
    expect(code).toBe(0);
  });
});
