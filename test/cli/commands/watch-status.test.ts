import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { watchStatus } from '../../../src/cli/commands/status/watch-status.ts';
import type { Io } from '../../../src/cli/io.ts';

/** Makes a terminal of this size. Returns what was written to it. */
function openTerminal(size: { columns: number; rows: number } | undefined) {
  const written: string[] = [];
  const stdout = new PassThrough({ encoding: 'utf8' }).on('data', (text: string) => written.push(text));
  if (size !== undefined) Object.assign(stdout, { isTTY: true, ...size });
  const controller = new AbortController();
  const io = { stdout, stderr: new PassThrough(), signal: controller.signal } as unknown as Io;
  return { io, end: () => controller.abort(), text: () => written.join('') };
}

/** Gives the answers one after the other. After the last one the watch is ended. */
function answer(answers: readonly (readonly string[] | Error)[], end: () => void) {
  const left = [...answers];
  return async () => {
    const next = left.shift();
    if (next === undefined) end();
    if (next instanceof Error) throw next;
    return next ?? [];
  };
}

describe('a watched status', () => {
  it('is drawn over the former one within the terminal, and gives the terminal back', async () => {
    const { io, end, text } = openTerminal({ columns: 10, rows: 3 });
    const look = answer([['all is well, really'], ['1', '2', '3', '4']], end);
    expect(await watchStatus(io, { everySec: 0, look })).toBe(0);
    expect(text().startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    expect(text()).toContain('\u001b[Hall is\u001b[K\r\n  well,\u001b[K\r\n  really\u001b[K\u001b[J');
    expect(text()).toContain('\u001b[H1\u001b[K\r\n2\u001b[K\r\n… (more in');
    expect(text()).not.toContain('\u001b[2J');
    expect(text().endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });

  it('goes on after a look that failed, and shows no control characters elsewhere than on a terminal', async () => {
    const { io, end, text } = openTerminal(undefined);
    const look = answer([new Error('PostgreSQL went away'), ['all is well']], end);
    expect(await watchStatus(io, { everySec: 0, look })).toBe(0);
    expect(text()).toBe('the look failed: PostgreSQL went away\n\nall is well\n\n');
  });
});
