import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { confirmFence } from '../../../../src/postgres/fence.ts';

const LINE_BREAK = 0x0a;
const LOOK_BYTES = 65_536;

/** Changes of one file, one after the other: the last that was begun. */
const changes = new Map<string, Promise<unknown>>();

/** Appends text that ends with a line break; resolves when the disk has it. */
export function appendLines(path: string, text: string): Promise<void> {
  return inTurn(path, async () => {
    await confirmFence();
    const file = await open(path, 'a+');
    try {
      const { size } = await file.stat();
      await file.truncate(await findEnd(file, size));
      await file.appendFile(text);
      await file.sync();
      if (size === 0) await syncFolder(dirname(path));
    } finally {
      await file.close();
    }
  });
}

/** Replaces a file by what `change` makes of it, in one step; a file that is not there stays away. */
export function rewriteLines(path: string, change: (lines: string[]) => string[]): Promise<void> {
  return inTurn(path, async () => {
    await confirmFence();
    const lines = await readLines(path);
    if (lines.length === 0) return;
    const next = `${path}.next`;
    const file = await open(next, 'w');
    try {
      await file.writeFile(
        change(lines)
          .map((line) => `${line}\n`)
          .join(''),
      );
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
    await syncFolder(dirname(path));
  });
}

/**
 * The whole lines of a file: what a crash cut off at its end was never acknowledged. None if there is no
 * file.
 */
export async function readLines(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
}

/** Makes the names in a folder as durable as the files. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Where the last whole line ends. */
async function findEnd(file: FileHandle, size: number): Promise<number> {
  for (let to = size; to > 0; to -= LOOK_BYTES) {
    const from = Math.max(0, to - LOOK_BYTES);
    const { buffer } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
    const at = buffer.lastIndexOf(LINE_BREAK);
    if (at >= 0) return from + at + 1;
  }
  return 0;
}

function inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = changes.get(path) ?? Promise.resolve();
  const turn = before.then(work, work);
  changes.set(
    path,
    turn.catch(() => undefined),
  );
  return turn;
}
