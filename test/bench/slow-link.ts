/**
 * `node --import tsx test/bench/slow-link.ts [--mbits 2,10,50] [--hours 6]` measures a backfill over a slow
 * link, with `platform.gzip` and without. A gateway compresses replies if it is asked to. It sends no more
 * bits a second than the link has.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { request } from 'undici';
import { startPostgres } from '../support/servers/postgres.ts';
import type { PlatformMessage } from './points-platform.ts';
import { environmentOf, measureProgram } from './program.ts';

const { values: options } = parseArgs({
  options: { mbits: { type: 'string', default: '2,10,50' }, hours: { type: 'string', default: '6' } },
});
const compress = promisify(gzip);
const PIECE_BYTES = 16 * 1024;

/** A gateway whose link takes one byte after the other, whatever the number of replies. */
class Gateway {
  bitsPerMs = 1_000;
  bytes = 0;
  #freeAtMs = 0;
  readonly #platform: string;

  constructor(platform: string) {
    this.#platform = platform;
  }

  async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '', headers } = incoming;
    const { host: _, 'accept-encoding': accepted = '', ...rest } = headers;
    const body = method === 'GET' ? null : await buffer(incoming);
    const reply = await request(`${this.#platform}${url}`, {
      ...{ method: method as 'GET' | 'POST', headers: rest as Record<string, string>, body },
    });
    const plain = Buffer.from(await reply.body.arrayBuffer());
    const isPacked = String(accepted).includes('gzip');
    const content = isPacked ? await compress(plain) : plain;
    outgoing.writeHead(reply.statusCode, {
      'content-type': 'application/json',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    });
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      const piece = content.subarray(at, at + PIECE_BYTES);
      await this.#wait(piece.length);
      outgoing.write(piece);
    }
    outgoing.end();
  }

  async #wait(bytes: number): Promise<void> {
    this.bytes += bytes;
    this.#freeAtMs = Math.max(this.#freeAtMs, performance.now()) + (bytes * 8) / this.bitsPerMs;
    await sleep(this.#freeAtMs - performance.now());
  }
}

const script = fileURLToPath(new URL('./points-platform.ts', import.meta.url));
const platform = fork(script, { execArgv: ['--import', 'tsx'] });
const [access] = (await once(platform, 'message')) as [PlatformMessage];
const postgres = await startPostgres();
const gateway = new Gateway(access.baseUrl);
const server = createServer((incoming, outgoing) => void gateway.serve(incoming, outgoing)).listen(
  0,
  '127.0.0.1',
);
await once(server, 'listening');
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const env = {
  ...environmentOf({ ...access, baseUrl, close: async () => undefined }, postgres),
  PLANTSYNC_RUNTIME: '[{"objects":"plain","current":false}]',
  PLANTSYNC_ROLLUPS: 'false',
};
const hour = (back: number) => new Date((Math.floor(Date.now() / 3.6e6) - back) * 3.6e6).toISOString();
let hoursBack = 1;

async function measure(gzipOn: boolean): Promise<string> {
  const hours = Number(options.hours);
  const args = ['backfill', '--from', hour(hoursBack + hours), '--to', hour(hoursBack)];
  hoursBack += hours;
  gateway.bytes = 0;
  const { summaries, cpuSec } = await measureProgram(args, {
    ...env,
    PLANTSYNC_PLATFORM__GZIP: String(gzipOn),
  });
  const [summary] = summaries;
  const [count, seconds] = [summary?.points.postgres ?? 0, summary?.seconds ?? 0];
  return `${Math.round(count / seconds)} points/s, ${(gateway.bytes / count).toFixed(1)} bytes a point, ${cpuSec.toFixed(1)} s of processor time`;
}

try {
  gateway.bitsPerMs = 1_000_000;
  await measureProgram(['sync', 'objects', 'object_properties'], env);
  await measure(false);
  for (const mbits of options.mbits.split(',').map(Number)) {
    gateway.bitsPerMs = mbits * 1_000;
    console.log(`${mbits} Mbit/s, as they are: ${await measure(false)}`);
    console.log(`${mbits} Mbit/s, gzip: ${await measure(true)}`);
  }
} finally {
  platform.disconnect();
  server.closeAllConnections();
  server.close();
  await postgres.close();
}
