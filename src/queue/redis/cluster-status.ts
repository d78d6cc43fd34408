import type { Cluster } from 'ioredis';

/** A client that was told to disconnect, and has not reported its end after this time, has no more nodes. */
const END_MS = 3_000;
const AGAIN_MS = 200;

/**
 * Keeps the status of a cluster client true. The client reports `close` when the connection to a former node
 * ends. That may be long after the client has ended, or has begun to connect again. BullMQ then waits for
 * ever for an end that was reported, and a client that was connecting stops.
 */
export function keepStatusTrue(client: Cluster): void {
  let before: string = client.status;
  for (const status of ['connecting', 'connect', 'ready', 'reconnecting', 'disconnecting', 'end'])
    client.on(status, () => {
      before = status;
    });
  const end = () => {
    client.status = 'end';
    client.emit('end');
  };
  client.on('close', () => {
    // A listener of the client that expects this has set another status by then.
    setImmediate(() => {
      if (client.status !== 'close') return;
      if (before === 'reconnecting') client.status = 'reconnecting';
      else if (before === 'end' || before === 'disconnecting') end();
      else
        setTimeout(() => {
          if (client.status === 'close') client.connect().catch(() => undefined);
        }, AGAIN_MS);
    });
  });
  client.on('disconnecting', () => {
    setTimeout(() => {
      if (client.status === 'disconnecting') end();
    }, END_MS).unref();
  });
}
