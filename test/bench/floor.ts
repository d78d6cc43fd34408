/**
 * The simplest program that does the same work as plantsync. It sends given requests for history with a fixed
 * number at once, parses the replies, and writes the same lines or COPY rows. It has no retries, no proof of
 * completeness, no coverage and no types. It is a process of its own, so that it is measured like plantsync.
 * It takes a `FloorTask` from standard input and prints a `FloorResult`.
 */

import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import pMap from 'p-map';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { Agent, request } from 'undici';

export interface FloorTask {
  readonly platform: { readonly baseUrl: string; readonly appId: string; readonly secret: string };
  /** The bodies of requests for history. Some repeat others as proof: their rows are read and not written. */
  readonly requests: readonly { readonly body: string; readonly repeats: boolean }[];
  readonly atOnce: number;
  /** The store for the points: one of the two. */
  readonly influx?: { readonly url: string; readonly database: string };
  readonly postgres?: {
    /** The address, with user and password. */
    readonly url: string;
    readonly table: string;
    /** The number of each series, by its name. */
    readonly ids: Readonly<Record<string, number>>;
  };
}

export interface FloorResult {
  readonly seconds: number;
  readonly points: number;
  /** Seconds of processor time, over all threads. */
  readonly cpuSec: number;
}

interface Reply {
  readonly results: readonly Result[];
}

/** A result in the form of the simulator's default dialect. */
interface Result {
  readonly name: string;
  readonly datas: readonly (readonly [time: string, value: unknown])[];
}

/** plantsync compresses its writes, too. */
const compress = promisify(gzip);

type Write = (results: readonly Result[]) => Promise<void>;

async function run(task: FloorTask): Promise<FloorResult> {
  const dispatcher = new Agent({ connections: task.atOnce });
  const { baseUrl, appId, secret } = task.platform;
  const grant = new URLSearchParams({ appid: appId, secret, grantType: 'client_credential' });
  const token = await request(`${baseUrl}/oauth2/client/v1/accessToken?${grant}`, { dispatcher });
  const { accessToken } = (await token.body.json()) as { accessToken: string };
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
  const { write, close } = task.influx ? writeLines(task, dispatcher) : writeRows(task);
  let points = 0;
  const begin = performance.now();
  const copyWindow = async ({ body, repeats }: FloorTask['requests'][number]) => {
    const reply = await request(`${baseUrl}/openapi/objects/v1/properties/history`, {
      ...{ dispatcher, headers, body },
      method: 'POST',
    });
    const text = await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`the platform answered ${reply.statusCode}: ${text}`);
    const { results } = JSON.parse(text) as Reply;
    if (repeats) return;
    for (const { datas } of results) points += datas.length;
    await write(results);
  };
  await pMap(task.requests, copyWindow, { concurrency: task.atOnce });
  const seconds = (performance.now() - begin) / 1000;
  await close();
  await dispatcher.close();
  const { user, system } = process.cpuUsage();
  return { seconds, points, cpuSec: (user + system) / 1e6 };
}

function writeLines({ influx }: FloorTask, dispatcher: Agent): { write: Write; close: () => Promise<void> } {
  const url = `${influx?.url}/write?db=${influx?.database}&precision=u`;
  return {
    async write(results) {
      let body = '';
      for (const { name, datas } of results) {
        const [object, property] = name.split('.');
        const key = `runtime,object=${object},property=${property}`.replaceAll(' ', '\\ ');
        for (const [time, value] of datas) {
          const text = typeof value === 'number' ? `value=${value}` : `text="${value}"`;
          body += `${key} ${text} ${Date.parse(time) * 1000}\n`;
        }
      }
      const reply = await request(url, {
        ...{ dispatcher, headers: { 'content-encoding': 'gzip' } },
        method: 'POST',
        body: await compress(body, { level: 1 }),
      });
      const said = await reply.body.text();
      if (reply.statusCode !== 204)
        throw new Error(`InfluxDB answered ${reply.statusCode}: ${said.slice(0, 200)}`);
    },
    close: async () => undefined,
  };
}

function writeRows({ postgres, atOnce }: FloorTask): { write: Write; close: () => Promise<void> } {
  const { url, table = '', ids = {} } = postgres ?? {};
  const pool = new pg.Pool({ connectionString: url, max: atOnce });
  return {
    async write(results) {
      let text = '';
      for (const { name, datas } of results) {
        const id = ids[name];
        for (const [time, value] of datas)
          text +=
            typeof value === 'string'
              ? `${id}\t${time}\t\\N\t${value}\t\\N\n`
              : `${id}\t${time}\t${Number(value)}\t\\N\t\\N\n`;
      }
      const client = await pool.connect();
      await pipeline(
        [text],
        client.query(from(`copy ${table} (series_id, at, value, text, quality) from stdin`)),
      );
      client.release();
    },
    close: () => pool.end(),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(JSON.stringify(await run((await json(process.stdin)) as FloorTask)));
