import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redactLine } from '../src/log.ts';
import { createRedactor } from '../src/redact.ts';

/** Runs code that logs in a process of its own. Returns what the process writes to stderr. */
function logInProcess(code: string): string {
  const program = `import { openLog } from ${JSON.stringify(resolve('src/log.ts'))};
    import { createRedactor } from ${JSON.stringify(resolve('src/redact.ts'))};\n${code}`;
  const { stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  return stderr;
}

describe('the log', () => {
  it('steers no terminal and tells no secret, in whatever depth and spelling', () => {
    const said = logInProcess(`
      const log = openLog('info', createRedactor(['S3cret (1)', '3000']));
      log.info({ name: 'a\\u009b2J\\u202e', ms: 3000, in: { url: '/x?s=S3cret%20%281%29' } }, 'b\\u001b S3cret (1)');
      log.child({ job: 'S3cret+(1)' }).error({ err: new Error('S3cret (1)') }, 'n');`);
    expect(said).toMatch(/^[ -~\n]*$/);
    const [first, second] = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      name: 'a\u009b2J\u202e',
      ms: 3000,
      in: { url: '/x?s=***' },
      msg: 'b\u001b ***',
    });
    expect(second).toMatchObject({ job: '***', err: { message: '***' } });
    expect(said).not.toMatch(/S3cret/);
  });

  it('stays JSON where a secret stands behind an escape', () => {
    const line = JSON.stringify({ msg: 'a\nbcd "bcd"', n: 1 });
    const redacted = redactLine(line, createRedactor(['nbcd', 'bcd']));
    expect(JSON.parse(redacted)).toEqual({ msg: 'a\n*** "***"', n: 1 });
  });
});
