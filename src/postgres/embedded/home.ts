import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StoreError } from '../../errors.ts';

const run = promisify(execFile);

/** The account that runs the server for root, since PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The folder of an embedded server. It holds `data` (the cluster), `server.log`, `password` (mode 0600),
 * `port`, and `binaries-<version>` if the programs had to be copied.
 */
export interface Home {
  readonly folder: string;
  /** Undefined if the server runs as the user of this process. */
  readonly account: Account | undefined;
}

/** The name of the file in `dataDir` that says where the files are, if they cannot be in `dataDir` itself. */
const MARKER_NAME = 'location';

/**
 * Finds or makes the folder of the server. The folder is `dataDir`, unless we are root and the account of the
 * server cannot enter `dataDir` (below a home with mode 0700). Then it is a new folder in the first of
 * `roots` that can be written, and `dataDir/location` names it.
 */
export async function openHome(dataDir: string, roots = ['/var/lib', tmpdir()]): Promise<Home> {
  await mkdir(dataDir, { recursive: true });
  if (process.getuid?.() !== 0) return { folder: await realpath(dataDir), account: undefined };
  const marked = await readMarker(dataDir);
  if (marked !== undefined) return { folder: marked, account: await findAccount(marked) };
  const account = await findAccount(dataDir);
  // The account has to pass through the folder. Private files inside have their own mode.
  await chmod(dataDir, 0o711);
  const folder = await realpath(dataDir);
  if (await canEnter(folder, account)) return { folder, account };
  return { folder: await makeElsewhere(dataDir, roots), account };
}

async function readMarker(dataDir: string): Promise<string | undefined> {
  const marker = join(dataDir, MARKER_NAME);
  const folder = (await readOptional(marker))?.trim();
  if (folder === undefined || (await isThere(folder))) return folder;
  // Folders below /tmp vanish. A file that names a vanished folder is removed.
  await rm(marker, { force: true });
  return undefined;
}

async function makeElsewhere(dataDir: string, roots: readonly string[]): Promise<string> {
  const folder = await makeFirst(roots);
  await chmod(folder, 0o711);
  const kept = await keepFirst(join(dataDir, MARKER_NAME), `${folder}\n`);
  if (kept.trim() !== folder) await rm(folder, { recursive: true });
  return kept.trim();
}

async function makeFirst(roots: readonly string[]): Promise<string> {
  for (const root of roots) {
    try {
      return await mkdtemp(join(root, 'plantsync-'));
    } catch (error) {
      if (root === roots.at(-1)) throw error;
    }
  }
  throw new RangeError('no root given');
}

/** Finds the owner of the cluster, or else the first of two accounts that exist everywhere. */
async function findAccount(folder: string): Promise<Account> {
  const data = await stat(join(folder, 'data')).catch(() => undefined);
  if (data !== undefined && data.uid !== 0) return { uid: data.uid, gid: data.gid };
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => undefined);
    if (ids !== undefined) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new StoreError(
    'postgres.embedded_as_root',
    'the embedded PostgreSQL cannot run as root, and there is no user `nobody` to run it: run plantsync as an ' +
      'ordinary user, or set postgres.url',
    { action: 'stop' },
  );
}

async function canEnter(folder: string, account: Account): Promise<boolean> {
  return run('sh', ['-c', 'test -x "$1"', 'sh', folder], { cwd: '/', ...account }).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the password of the server's only user. It is made once, and only the user of this process can read
 * it.
 */
export async function keepPassword(home: Home): Promise<string> {
  return keepFirst(join(home.folder, 'password'), randomBytes(24).toString('base64url'));
}

/**
 * Writes a file that is missing, and returns what the file then holds. The first of several processes
 * decides.
 */
async function keepFirst(path: string, content: string): Promise<string> {
  const partial = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(partial, content, { mode: 0o600, flag: 'wx' });
  try {
    await link(partial, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(partial);
  }
  return readFile(path, 'utf8');
}

/** Returns the text of a file. Returns undefined if there is no such file. */
export async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
