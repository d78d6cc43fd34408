import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Io, say } from '../../../src/cli/io.ts';
import { tellWait } from '../../../src/cli/output/tell-wait.ts';
import { silentLog } from '../../../src/log.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function openTerminal(isTTY: boolean) {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns: 40 });
  const io = { stderr } as unknown as Io;
  return { io, written: (): string => stderr.read() ?? '' };
}

it('a wait of more than two seconds is told, with its seconds, and its line is gone at the end', async () => {
  const { io, written } = openTerminal(true);
  let finish = () => {};
  const work = tellWait(
    { io, log: silentLog },
    'opening the database',
    () =>
      new Promise<void>((done) => {
        finish = done;
      }),
  );
  await vi.advanceTimersByTimeAsync(1_500);
  expect(written()).toBe('');
  await vi.advanceTimersByTimeAsync(1_500);
  expect(written()).toBe('\r\u001b[Kopening the database … 2 s\r\u001b[Kopening the database … 3 s');
  say(io, 'no series is known yet\n');
  expect(written()).toBe('\r\u001b[Kno series is known yet\n');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written()).toContain('… 4 s');
  finish();
  await work;
  expect(written()).toBe('\r\u001b[K');
});

it('a wait elsewhere is an entry in the log, and nothing else', async () => {
  const { io, written } = openTerminal(false);
  const entries: string[] = [];
  const log = { info: (_: object, message: string) => entries.push(message) } as unknown as typeof silentLog;
  let finish = () => {};
  const work = tellWait(
    { io, log },
    'opening the database',
    () =>
      new Promise<void>((done) => {
        finish = done;
      }),
  );
  await vi.advanceTimersByTimeAsync(5_000);
  finish();
  await work;
  expect(entries).toEqual(['opening the database …']);
  expect(written()).toBe('');
});
