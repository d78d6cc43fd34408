import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { freePort, makeFolder, startProcess, type TestServer } from './process.ts';
import { ensureProgram, redisServer } from './programs.ts';

/** Starts Redis with a folder and a port of its own. What Redis acknowledged survives `kill` and `start`. */
export async function startRedis(): Promise<TestServer> {
  const command = await ensureProgram(redisServer);
  const folder = await makeFolder('redis');
  const port = await freePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return startProcess({
    command,
    args,
    url: `redis://127.0.0.1:${port}`,
    folder,
    isReady: () => accepts(port),
  });
}

/** A Redis that a test may use and not stop. */
export interface TestRedis {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Opens an empty database of a shared Redis. Each worker of vitest has one database, and its files take
 * turns.
 */
export async function openRedisDatabase(server: string): Promise<TestRedis> {
  const url = new URL(server);
  url.pathname = `/${process.env.VITEST_POOL_ID ?? 1}`;
  const empty = async (): Promise<void> => {
    const client = new Redis(url.href);
    await client.flushdb();
    await client.quit();
  };
  await empty();
  return { url: url.href, close: empty };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (reply) => {
      socket.destroy();
      resolve(reply.toString().startsWith('+PONG'));
    });
  });
}
