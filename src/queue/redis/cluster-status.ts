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
  settleConnects(client);
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

/**
 * Lets each call of `connect` settle. The client forgets a call whose connection ends between the reading of
 * the slots and `ready`. BullMQ waits for that call, and its worker would take no job any more.
 */
function settleConnects(client: Cluster): void {
  const connect = client.connect.bind(client);
  client.connect = () =>
    new Promise((resolve, reject) => {
      const isClosed = () => settle(() => reject(new Error('Connection is closed.')));
      const isReady = () => settle(resolve);
      const settle = (end: () => void) => {
        client.off('ready', isReady).off('close', isClosed);
        end();
      };
      client.on('ready', isReady).on('close', isClosed);
      connect().then(isReady, (error: unknown) => settle(() => reject(error)));
    });
}
