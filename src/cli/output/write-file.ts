import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/**
 * Writes a file as a whole: it appears under its name when all of it is on disk, and replaces an older one.
 * If the work fails or is interrupted, the older file stays and nothing else is left. A name that ends in
 * `.gz` makes the file compressed.
 */
export async function writeWhole(
  path: string,
  chunks: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const partial = join(dirname(path), `.${basename(path)}.${process.pid}.partial`);
  const target = createWriteStream(partial, { flags: 'wx', flush: true });
  try {
    const source = Readable.from(chunks);
    if (path.endsWith('.gz')) await pipeline(source, createGzip(), target, { signal });
    else await pipeline(source, target, { signal });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    // Errors name the file that people know.
    throw isAbout(error, partial) ? Object.assign(error, { path }) : error;
  }
}

function isAbout(error: unknown, path: string): error is Error {
  return error instanceof Error && 'path' in error && error.path === path;
}
