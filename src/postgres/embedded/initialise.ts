import { execFile } from 'node:child_process';
import { chown, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, StoreError } from '../../errors.ts';
import { type Cluster, dataOf, spawnOptions } from './cluster.ts';
import { isThere } from './home.ts';

const run = promisify(execFile);
const HOUR_MS = 3_600_000;

/**
 * Makes the database files if there are none: UTF8, locale C, passwords for every connection. They are made
 * in another folder, which is renamed at the end. So an interrupted attempt leaves no half cluster, and the
 * first of two processes wins.
 */
export async function initialise(cluster: Cluster): Promise<void> {
  const data = dataOf(cluster);
  if (await isThere(data)) return;
  await removeAbandoned(cluster);
  const partial = await mkdtemp(`${data}.`);
  const passwordFile = `${partial}.password`;
  try {
    await writeFile(passwordFile, cluster.password, { mode: 0o600, flag: 'wx' });
    await giveTo(cluster, partial);
    await giveTo(cluster, passwordFile);
    await initdb(cluster, partial, passwordFile);
    await rename(partial, data);
  } catch (error) {
    if (!(await isThere(join(data, 'PG_VERSION')))) throw error;
  } finally {
    await rm(passwordFile, { force: true });
    await rm(partial, { recursive: true, force: true });
  }
}

async function giveTo({ home }: Cluster, path: string): Promise<void> {
  if (home.account !== undefined) await chown(path, home.account.uid, home.account.gid);
}

async function initdb(cluster: Cluster, folder: string, passwordFile: string): Promise<void> {
  const flags = ['--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', '--no-instructions'];
  const args = ['-D', folder, '-U', cluster.user, `--pwfile=${passwordFile}`, ...flags];
  try {
    await run(join(cluster.binaries, 'bin', 'initdb'), args, spawnOptions(cluster));
  } catch (error) {
    throw new StoreError(
      'postgres.embedded_failed',
      `the embedded PostgreSQL could not make its files in ${cluster.home.folder}: ${messageOf(error).trim()}`,
      { action: 'stop', cause: error },
    );
  }
}

/** Removes folders that a killed process left half made. */
async function removeAbandoned({ home }: Cluster): Promise<void> {
  for (const name of await readdir(home.folder)) {
    if (!name.startsWith('data.')) continue;
    const path = join(home.folder, name);
    const age = await stat(path).catch(() => undefined);
    if (age !== undefined && Date.now() - age.mtimeMs > HOUR_MS)
      await rm(path, { recursive: true, force: true });
  }
}
