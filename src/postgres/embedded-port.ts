import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Home, readOptional } from './embedded-home.ts';

/** The port that this cluster had last, if it is free, so that addresses noted elsewhere stay right; else any free one. */
export async function choosePort(home: Home): Promise<number> {
  const last = Number(await readOptional(join(home.folder, 'port')));
  return (last > 0 ? await freePort(last) : undefined) ?? (await freePort(0)) ?? 0;
}

export async function rememberPort(home: Home, port: number): Promise<void> {
  const path = join(home.folder, 'port');
  await writeFile(path, `${port}\n`);
  await chmod(path, 0o644);
}

function freePort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(port));
    });
  });
}
