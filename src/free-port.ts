import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Systems give ports above these to connections (Linux from 32,768), so none takes ours while its server is down. */
const ownPorts = { from: 12_000, to: 30_000 };
const MOST_TRIES = 20;

/** A port of 127.0.0.1 that is free just now: `wanted` if it is, so that addresses noted elsewhere stay right; else any. */
export async function findFreePort(wanted = 0): Promise<number> {
  if (wanted > 0 && (await isFree(wanted))) return wanted;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(ownPorts.from, ownPorts.to);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found between ${ownPorts.from} and ${ownPorts.to}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
