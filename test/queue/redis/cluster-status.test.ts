import type { EventEmitter } from 'node:stream';
import type { Cluster } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { endNow, openClient } from '../../../src/queue/redis/open-client.ts';
import { redisSettings } from '../open-engines.ts';

/** Opens a client of a cluster that nobody runs. `drain` ends the last connection to former nodes. */
function openLonelyClient() {
  const cluster = [{ host: '127.0.0.1', port: 1 }];
  const client = openClient(redisSettings({ prefix: '{p}', cluster }), 'patient') as Cluster;
  client.on('error', () => undefined);
  onTestFinished(() => endNow(client));
  const { connectionPool } = client as unknown as { connectionPool: EventEmitter };
  return { client, drain: () => connectionPool.emit('drain') };
}

/** Resolves when the client reports a status. Its errors are no matter here. */
function until(client: Cluster, status: string): Promise<void> {
  return new Promise((resolve) => client.once(status, () => resolve()));
}

it('a client of a cluster that has ended stays so, also when a former connection ends later', async () => {
  const { client, drain } = openLonelyClient();
  endNow(client);
  await until(client, 'end');
  drain();
  await until(client, 'end');
  expect(client.status).toBe('end');
});

it('a client of a cluster goes on connecting, also when a former connection ends meanwhile', async () => {
  const { client, drain } = openLonelyClient();
  const aborted = client.connect();
  drain();
  await expect(aborted).rejects.toThrow('aborted');
  await until(client, 'close');
  await until(client, 'connecting');
});

it('a client of a cluster ends, also when it has no connection that could end', async () => {
  const { client } = openLonelyClient();
  client.connect().catch(() => undefined);
  await until(client, 'reconnecting');
  client.disconnect();
  await until(client, 'end');
});

it('a call to connect to a cluster settles, also when the connection ends before it is ready', async () => {
  const { client } = openLonelyClient();
  const connected = client.connect();
  await new Promise((resolve) => client.once('+node', resolve));
  // The slots are known now, but no node answers whether the cluster works.
  client.emit('refresh');
  await expect(connected).rejects.toThrow('closed');
});
