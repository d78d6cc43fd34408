import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The range of ports that are given to servers of ours. Systems give higher ports to connections (Linux from
 * 32,768), so no connection takes the port of a server that is down for a moment.
 */
const ownPorts = { from: 12_000, to: 30_000 };
const MOST_TRIES = 20;

/**
 * Finds a port of 127.0.0.1 that is free now. Returns `wanted` if that port is free, so that addresses noted
 * elsewhere stay right. Throws if no free port is found.
 */
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
