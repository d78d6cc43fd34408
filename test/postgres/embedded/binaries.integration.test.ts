import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  findInstalled,
  type InstalledBinaries,
  prepareBinaries,
} from '../../../src/postgres/embedded/binaries.ts';
import { openHome } from '../../../src/postgres/embedded/home.ts';

let folder: string;
/** The package as npm leaves it without install scripts, under a umask that shuts out other accounts. */
let bare: InstalledBinaries;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plantsync-test-binaries-'));
  await chmod(folder, 0o755);
  const { native, version } = await findInstalled();
  bare = { native: join(folder, 'native'), version };
  await cp(native, bare.native, {
    recursive: true,
    filter: async (path) => !(await lstat(path)).isSymbolicLink() && !path.endsWith('.a'),
  });
  await chmod(bare.native, 0o700);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('programs that lack the links between their libraries are copied once, with the links', async () => {
  const home = await openHome(join(folder, 'home'), [folder]);
  const copies = await Promise.all([prepareBinaries(bare, home), prepareBinaries(bare, home)]);
  const copy = join(home.folder, `binaries-${bare.version}`);
  expect(copies).toEqual([copy, copy]);
  const { stdout } = await promisify(execFile)(join(copy, 'bin', 'initdb'), ['--version'], {
    cwd: '/',
    ...home.account,
  });
  expect(stdout).toMatch(/^initdb \(PostgreSQL\) \d+/);
  expect(await prepareBinaries(bare, home)).toBe(copy);
  expect(await readdir(home.folder)).toEqual([`binaries-${bare.version}`]);
});

test('programs that cannot run here are an error that names the way out', async () => {
  const home = await openHome(join(folder, 'other'), [folder]);
  const broken = { native: join(folder, 'broken'), version: '0' };
  await cp(bare.native, broken.native, { recursive: true });
  await rm(join(broken.native, 'lib', 'libssl.so.1.1'));
  await expect(prepareBinaries(broken, home)).rejects.toThrow(
    /does not run on this system .*: set postgres.url/s,
  );
  expect(await readdir(home.folder)).toEqual([]);
});
