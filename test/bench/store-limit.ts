/**
 * `node --import tsx test/bench/store-limit.ts [--points 2000000] [--rounds 5]` compares what the program
 * writes with what the stores take from ready files. The files hold the same requests: line protocol,
 * compressed, and binary COPY. Both ways take turns, with as many requests at once. Run it on a machine with
 * cores to spare, because the program has to make what the files have ready.
 */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import pMap from 'p-map';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { request } from 'undici';
import { encodePoints } from '../../src/load/copy/encode.ts';
import { cutChunks } from '../../src/load/stores/influx/chunks.ts';
import { createInfluxStore } from '../../src/load/stores/influx/create-store.ts';
import { createLineEncoder } from '../../src/load/stores/influx/line-protocol.ts';
import { collectRefusals } from '../../src/load/stores/influx/refused-points.ts';
import { createPostgresStore } from '../../src/load/stores/postgres/create-store.ts';
import type { PointStore } from '../../src/load/stores/store.ts';
import { silentLog } from '../../src/log.ts';
import { openPostgres } from '../../src/postgres/connect.ts';
import type { SeriesPoints } from '../../src/series/types.ts';
import { startInflux } from '../support/servers/influx.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { judge } from './aims/aims.ts';
import { addressOf } from './program.ts';

const { values: options } = parseArgs({
  options: { points: { type: 'string', default: '2000000' }, rounds: { type: 'string', default: '5' } },
});
const AT_ONCE = 8;
const SERIES = 20;
const POINTS_OF_SERIES = 500;
const windows = Math.ceil(Number(options.points) / SERIES / POINTS_OF_SERIES);
const COLUMNS = 'series_id, at, value, text, quality';
const nulls = new Array<null>(POINTS_OF_SERIES).fill(null);
let nextSec = Date.UTC(2024, 0, 1) / 1000;

/** Makes windows of later points than those made before. */
function makeWindows(): SeriesPoints[][] {
  const startSec = nextSec;
  nextSec += windows * POINTS_OF_SERIES;
  return Array.from({ length: windows }, (_, window) =>
    Array.from({ length: SERIES }, (_, id) => ({
      series: { id, object: 'plain', property: `measured ${id}`, primitiveType: 'Double' },
      times: nulls.map((_, k) => (startSec + window * POINTS_OF_SERIES + k) * 1e6),
      values: nulls.map((_, k) => Math.round(200_000 + 90_000 * Math.sin(k / 600)) / 100),
      texts: nulls,
      qualities: nulls,
    })),
  );
}

/** Makes the requests of windows as files, and returns their paths. */
async function makeFiles(
  folder: string,
  make: (points: SeriesPoints[]) => Promise<Buffer[]>,
): Promise<string[]> {
  const paths: string[] = [];
  for (const points of makeWindows())
    for (const bytes of await make(points)) {
      const path = join(folder, String(paths.length));
      await writeFile(path, bytes);
      paths.push(path);
    }
  return paths;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (windows * SERIES * POINTS_OF_SERIES) / ((performance.now() - begin) / 1000);
}

interface Way {
  readonly name: 'Postgres' | 'InfluxDB';
  readonly store: PointStore;
  readonly make: (points: SeriesPoints[]) => Promise<Buffer[]>;
  readonly send: (path: string) => Promise<unknown>;
}

async function compare({ name, store, make, send }: Way): Promise<void> {
  const shares: number[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const folder = await mkdtemp(join(tmpdir(), 'plantsync-bench-'));
    const files = await makeFiles(folder, make);
    const fromFiles = await timed(() => pMap(files, send, { concurrency: AT_ONCE }));
    await rm(folder, { recursive: true });
    const batches = makeWindows();
    const range = { from: 0, to: 1 };
    const write = (series: SeriesPoints[]) =>
      store.write({ stream: 'history', range, series, fresh: true }, async () => {});
    const written = await timed(() => pMap(batches, write, { concurrency: AT_ONCE }));
    shares.push(written / fromFiles);
    console.log(
      `${name}: ${Math.round(fromFiles)} points/s from files, ${Math.round(written)} by the program`,
    );
  }
  shares.sort((a, b) => a - b);
  const share = shares[shares.length >> 1] ?? Number.NaN;
  console.log(`${name}: the program reaches ${share.toFixed(2)} of the files (median)`);
  judge(`files ${name}`, share);
}

const [postgres, influx] = await Promise.all([startPostgres(), startInflux()]);
const db = openPostgres(postgres.options, silentLog);
const pool = new pg.Pool({ connectionString: addressOf(postgres), max: AT_ONCE });
try {
  const rows = createPostgresStore({ db, schema: 'plant' });
  await rows.prepare([]);
  await rows.write(
    { stream: 'history', range: { from: 0, to: 1 }, series: makeWindows().flat(), fresh: true },
    async () => {},
  );
  await compare({
    name: 'Postgres',
    store: rows,
    make: async (points) => [Buffer.concat([...encodePoints(points)])],
    send: async (path) => {
      const client = await pool.connect();
      const copy = copyFrom(`copy plant.samples (${COLUMNS}) from stdin (format binary)`);
      await pipeline(createReadStream(path), client.query(copy));
      client.release();
    },
  });
  const target = { url: influx.url, version: 1, database: 'bench' } as const;
  const lines = createInfluxStore(target, silentLog);
  await lines.prepare();
  const encoder = createLineEncoder('runtime');
  await compare({
    name: 'InfluxDB',
    store: lines,
    make: async (points) => {
      const bodies: Buffer[] = [];
      const source = {
        encoder,
        points,
        maxLines: 5_000,
        maxLength: () => 4_194_304,
        refusals: collectRefusals(),
      };
      for await (const { bytes } of cutChunks(source))
        if (bytes.length > 0) bodies.push(gzipSync(bytes, { level: 1 }));
      return bodies;
    },
    send: async (path) => {
      const reply = await request(`${influx.url}/write?db=bench&precision=u`, {
        method: 'POST',
        headers: { 'content-encoding': 'gzip' },
        body: createReadStream(path),
      });
      await reply.body.dump();
      if (reply.statusCode !== 204) throw new Error(`InfluxDB answered ${reply.statusCode}`);
    },
  });
  await lines.close();
} finally {
  await pool.end();
  await db.close();
  await Promise.all([postgres.close(), influx.close()]);
}
