import { describe, expect, it } from 'vitest';
import { type CommonOptions, type Io, printText, say } from '../../../src/cli/io.ts';
import { openCommandLog } from '../../../src/cli/open/open-command-log.ts';
import { drawLines } from '../../../src/cli/output/live-lines.ts';
import { openProgress } from '../../../src/cli/output/progress.ts';
import { makeTerminal, type TerminalScreen } from '../../support/program/terminal-screen.ts';

function ioOf({ stream }: TerminalScreen, env = {}): Io {
  return { stdin: process.stdin, stdout: stream, stderr: stream, env, signal: AbortSignal.abort() };
}

function openLogOn(io: Io, options: CommonOptions = {}, format: 'auto' | 'json' | 'text' = 'auto') {
  return openCommandLog(io, options, { level: 'info', format, redact: (text) => text });
}

describe('bars of progress next to the log', () => {
  it('stay whole at the bottom, whatever is logged and printed above them', () => {
    const terminal = makeTerminal();
    const io = ioOf(terminal);
    const { log, close } = openLogOn(io);
    const progress = openProgress({ log, terminal: io.stderr, clock: () => 0 });
    const [persons, users] = [progress.start('persons', 4, 'records'), progress.start('users', 4, 'records')];
    log.warn(
      { stream: 'persons' },
      'a warning that is long enough to be broken at the width of this terminal',
    );
    persons.add(4);
    log.error('two\nlines');
    persons.finish();
    say(io, 'a sentence for people\n');
    printText(io, 'a result\n');
    users.add(1);
    users.finish('interrupted');
    progress.close();
    log.info('after the bars');
    close();
    const lines = terminal.lines().map((line) => line.replace(/^\S+Z /, ''));
    expect(lines).toEqual([
      'WARN  a warning that is long enough to be broken at the',
      '    width of this terminal  stream=persons',
      'ERROR two',
      '    lines',
      'a sentence for people',
      'a result',
      expect.stringMatching(/^persons +█+ 100% {2}4\/4 records .* done$/),
      expect.stringMatching(/^users +█+░+ +25% {2}1\/4 records .* interrupted$/),
      'INFO  after the bars',
    ]);
  });

  it('are all there in the end, also where the terminal has fewer rows', () => {
    const terminal = makeTerminal({ rows: 4 });
    const progress = openProgress({
      log: openLogOn(ioOf(terminal)).log,
      terminal: terminal.stream,
      clock: () => 0,
    });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) progress.start(name, 1, 'records').finish();
    const { log } = openLogOn(ioOf(terminal));
    log.warn('meanwhile');
    progress.close();
    const lines = terminal.lines();
    expect(lines[0]).toMatch(/WARN {2}meanwhile$/);
    expect(lines.slice(1).map((line) => line[0])).toEqual(names);
  });

  it('are drawn by one owner at a time, and not again once they have ended', () => {
    const terminal = makeTerminal();
    const first = drawLines(terminal.stream, () => ['first']);
    first.draw();
    const second = drawLines(terminal.stream, () => ['second']);
    first.end();
    second.draw();
    second.end();
    first.draw();
    second.draw();
    expect(terminal.lines()).toEqual(['first', 'second']);
  });
});

describe('the log of a command', () => {
  it('is text on a terminal and JSON elsewhere, unless the configuration says which', () => {
    const look = (isTTY: boolean, format: 'auto' | 'json' | 'text') => {
      const terminal = makeTerminal();
      Object.assign(terminal.stream, { isTTY });
      openLogOn(ioOf(terminal), {}, format).log.info('x');
      return terminal.written();
    };
    expect(look(true, 'auto')).toMatch(/Z INFO {2}x\n$/);
    expect(look(true, 'text')).toMatch(/Z INFO {2}x\n$/);
    expect(JSON.parse(look(true, 'json'))).toMatchObject({ msg: 'x' });
  });

  it('has colours where the terminal shows them, and nobody refuses them', () => {
    const look = (options: CommonOptions, colors = true) => {
      const terminal = makeTerminal({ colors });
      openLogOn(ioOf(terminal), options).log.info('x');
      return terminal.written().includes('\u001b[32m');
    };
    expect([look({}), look({ color: true }), look({ color: false }), look({}, false)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
