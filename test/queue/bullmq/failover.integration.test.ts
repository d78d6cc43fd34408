import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestLedger, type TestLedger } from '../../ledger/test-ledger.ts';
import { recordLog } from '../../support/record-log.ts';
import { startRedis, type TestServer } from '../../support/servers/servers.ts';
import { bullMqPlace } from '../open-engines.ts';
import { everySecond, RecordedJobs, until } from '../recorded-job.ts';

let servers: [TestServer, TestServer];
let ledger: TestLedger;
beforeAll(async () => {
  servers = await Promise.all([startRedis(), startRedis()]);
  ledger = await openTestLedger();
});
afterAll(() => Promise.all([...servers, ledger].map((each) => each.close())));

const portOf = ({ url }: { url: string }) => Number(new URL(url).port);

/** Opens an address that leads to one server and later to another. Open connections stay where they are. */
async function openAddress(first: TestServer) {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(portOf(target), '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    lead(to: TestServer) {
      target = to;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

it('jobs go on after a failover whose old master stays up as a replica', async ({ onTestFinished }) => {
  const [old, next] = servers;
  const clients = servers.map(({ url }) => new Redis(url));
  onTestFinished(() => {
    for (const client of clients) client.disconnect();
  });
  const [oldClient, nextClient] = clients as [Redis, Redis];
  await nextClient.replicaof('127.0.0.1', portOf(old));
  const address = await openAddress(old);
  onTestFinished(() => address.close());
  const { entries, log } = recordLog();
  const jobs = new RecordedJobs();
  const place = bullMqPlace({ db: ledger.db, url: address.url, prefix: 'p', onFinished: onTestFinished });
  const running = await place({ log, jobs: [jobs.make('beat', { schedule: everySecond })] });
  await until(() => jobs.runs.length >= 2);

  await nextClient.replicaof('NO', 'ONE');
  address.lead(next);
  await oldClient.replicaof('127.0.0.1', portOf(next));
  const count = jobs.runs.length;
  await until(() => jobs.runs.length >= count + 3);
  await until(async () => (await running.engine.describeHealth()).redis?.isUp === true);
  expect(jobs.greatestOverlap).toBe(1);
  expect(entries.filter((entry) => entry.includes('correct redis.url'))).toEqual([]);
});
