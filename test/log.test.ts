import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LogOptions, openLog, redactLine } from '../src/log.ts';
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

/** Opens a log that keeps its lines. */
function openKept(options: Partial<LogOptions> = {}) {
  const kept = { text: '' };
  const opened = openLog({ level: 'info', ...options, write: (lines) => (kept.text += lines) });
  const entries = () => kept.text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return { ...opened, entries, text: () => kept.text };
}

const colorCode = new RegExp(`${'\u001b'}\\[(?:0|3[123]|90)m`, 'g');
const plain = { colors: false, columns: () => undefined };

describe('the log', () => {
  it('steers no terminal and tells no secret, in whatever depth and spelling', () => {
    const said = logInProcess(`
      const { log } = openLog({ level: 'info', redact: createRedactor(['S3cret (1)', '3000']) });
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

  it('begins a line of JSON with time, level by name, and message', () => {
    const { log, text } = openKept();
    log.child({ role: 'all' }).warn({ job: 'poll-1', n: 2 }, 'late');
    expect(text()).toMatch(
      /^\{"time":"\d{4}-[^"]+Z","level":"warn","msg":"late","role":"all","job":"poll-1","n":2\}\n$/,
    );
  });
});

describe('the log as text', () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-05-01T12:03:20.500Z') }));
  afterEach(() => void vi.useRealTimers());

  it('shows time, level, message, and facts that can be told apart', () => {
    const { log, text } = openKept({ text: plain });
    log.info(
      { stream: 'history', names: ['a', 'b'], note: 'two words', empty: '', n: 1.5, no: null },
      'read',
    );
    log.error('alone');
    expect(text()).toBe(
      '2026-05-01T12:03:20Z INFO  read  stream=history names=["a","b"] note="two words" empty="" n=1.5 no=null\n' +
        '2026-05-01T12:03:20Z ERROR alone\n',
    );
  });

  it('indents further lines of a message, and the stack of an error', () => {
    const { log, text } = openKept({ text: plain });
    log.error({ err: new Error('first\nsecond') }, 'it failed\n\t- here');
    const [head, detail, ...stack] = text().trimEnd().split('\n');
    expect(head).toBe('2026-05-01T12:03:20Z ERROR it failed');
    expect(detail).toBe('        - here');
    expect(stack.slice(0, 2)).toEqual(['    Error: first', '    second']);
    expect(stack[2]).toMatch(/^ {8}at /);
  });

  it('steers no terminal and tells no secret', () => {
    const { log, text } = openKept({
      text: { ...plain, colors: true },
      redact: createRedactor(['S3cret "1"']),
    });
    log.warn({ 'k\u001b': 'S3cret "1"', deep: { v: '\u202eS3cret%20%221%22\n' } }, 'm\u001b[2J S3cret "1"\r');
    log.error({ err: new Error('S3cret "1"\u001b[2J') }, 'x');
    expect(text()).not.toMatch(/S3cret/);
    // The colours are the only codes.
    expect(text().replaceAll(colorCode, '')).toMatch(/^[ -~\n]*$/);
    expect(text()).toContain('m\\u001b[2J ***\\u000d');
  });

  it('colours levels only where asked, and breaks lines between words', () => {
    const { log, text } = openKept({ text: { colors: true, columns: () => 60 } });
    log.warn({ stream: 'history' }, 'a sentence that is longer than the terminal is wide, 表示 by far');
    const bare = stripVTControlCharacters(text());
    expect(text()).toContain('\u001b[33mWARN \u001b[0m');
    expect(bare).toBe(
      '2026-05-01T12:03:20Z WARN  a sentence that is longer than\n' +
        '    the terminal is wide, 表示 by far  stream=history\n',
    );
  });
});

describe('a warning that repeats', () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-05-01T12:00:00Z') }));
  afterEach(() => void vi.useRealTimers());

  it('is said once, then once a minute with the newest entry and a count, and stops by itself', () => {
    const { log, entries } = openKept();
    for (let second = 0; second < 90; second += 10) {
      log.warn({ stream: 'history', code: 'platform.timeout', n: second }, `again in ${second} s`);
      vi.advanceTimersByTime(10_000);
    }
    expect(entries()).toMatchObject([
      { msg: 'again in 0 s', n: 0 },
      { msg: 'again in 50 s', n: 50, repeated: 5, since: '2026-05-01T12:00:00.000Z' },
    ]);
    vi.advanceTimersByTime(600_000);
    expect(entries()[2]).toMatchObject({
      msg: 'again in 80 s',
      repeated: 3,
      since: '2026-05-01T12:01:00.000Z',
    });
    expect(entries()).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
    log.warn({ stream: 'history', code: 'platform.timeout' }, 'again in 1 s');
    expect(entries()).toHaveLength(4);
  });

  it('is another one with another code, stream, job or name', () => {
    const { log, entries } = openKept();
    log.warn({ stream: 'history', code: 'platform.timeout' }, 'pump1.temp failed');
    log.warn({ stream: 'history', code: 'platform.unavailable' }, 'pump1.temp failed');
    log.warn({ stream: 'alarms', code: 'platform.timeout' }, 'pump1.temp failed');
    log.warn({ stream: 'history', code: 'platform.timeout' }, 'pump2.temp failed');
    log.warn({ stream: 'history', code: 'platform.timeout', job: 'sweep' }, 'pump1.temp failed');
    log.error({ stream: 'history', code: 'platform.timeout' }, 'pump1.temp failed');
    expect(entries()).toHaveLength(6);
  });

  it('is counted at the end at the latest', () => {
    const { log, close, text } = openKept({ text: plain });
    for (let k = 0; k < 4; k += 1) log.error({ job: 'poll-1', failures: k }, 'down');
    close();
    close();
    expect(text()).toBe(
      '2026-05-01T12:00:00Z ERROR down  job=poll-1 failures=0\n' +
        '2026-05-01T12:00:00Z ERROR down (said 3 more since 12:00:00Z)  job=poll-1 failures=3\n',
    );
  });

  it('is held back neither as information nor for somebody who asks for everything', () => {
    const { log, entries } = openKept();
    for (let k = 0; k < 3; k += 1) log.info('persons is up to date');
    const all = openKept({ level: 'debug' });
    for (let k = 0; k < 3; k += 1) all.log.warn('down');
    expect([...entries(), ...all.entries()]).toHaveLength(6);
  });

  it('takes a bounded memory, and forgets no count', () => {
    const { log, close, entries } = openKept();
    for (let k = 0; k < 3_000; k += 1) for (const _ of [1, 2]) log.warn(`name${k} is wrong`);
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1_000);
    close();
    expect(entries()).toHaveLength(6_000);
  });
});
