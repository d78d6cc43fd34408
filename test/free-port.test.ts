import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findFreePort } from '../src/free-port.ts';

test('a port is never one that the system gives to connections', async () => {
  for (let tries = 0; tries < 50; tries += 1) expect(await findFreePort()).toBeLessThan(32_768);
});

test('the wanted port is taken if it is free, else another', async () => {
  const wanted = await findFreePort();
  expect(await findFreePort(wanted)).toBe(wanted);
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  expect(await findFreePort(wanted)).not.toBe(wanted);
  server.close();
  await once(server, 'close');
});
