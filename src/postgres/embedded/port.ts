import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../free-port.ts';
import { type Home, readOptional } from './home.ts';

/** Returns the last port of this cluster if that port is free, else any free port. */
export async function choosePort(home: Home): Promise<number> {
  return findFreePort(Number((await readOptional(join(home.folder, 'port'))) ?? 0));
}

export async function rememberPort(home: Home, port: number): Promise<void> {
  const path = join(home.folder, 'port');
  await writeFile(path, `${port}\n`);
  await chmod(path, 0o644);
}
