import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Returns the path of a file of this package, whether the package runs from its sources or is built (one
 * folder deeper).
 */
export function packageFile(name: string): string {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder);
  return fileURLToPath(new URL(name, folder));
}

/** The folder of the built page of the console, in this package. */
export const PAGE_FOLDER = 'dist/page';

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };
  return version;
}
