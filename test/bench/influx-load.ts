/**
 * Measures how fast points become line protocol and how fast InfluxDB takes them:
 * `INFLUX_URL=http://localhost:8086 node --import tsx test/bench/influx-load.ts [points]`. It makes the
 * database `plantsync_bench` and drops it.
 */
import { cutChunks } from '../../src/load/stores/influx/chunks.ts';
import { createInfluxStore } from '../../src/load/stores/influx/create-store.ts';
import { createLineEncoder } from '../../src/load/stores/influx/line-protocol.ts';
import { collectRefusals } from '../../src/load/stores/influx/refused-points.ts';
import { silentLog } from '../../src/log.ts';
import type { SeriesPoints } from '../../src/series/types.ts';
import { openInfluxReader } from '../support/influx/influx-reader.ts';

const total = Number(process.argv[2] ?? 2_000_000);
const perSeries = 5_000;
const url = process.env.INFLUX_URL ?? 'http://127.0.0.1:8086';
const options = { url, version: 1, database: 'plantsync_bench' } as const;

function makeSeries(id: number): SeriesPoints {
  const from = Date.UTC(2024, 0, 1) * 1_000;
  return {
    series: { id, object: `object_${id}`, property: 'temperature', primitiveType: 'Double' },
    times: Array.from({ length: perSeries }, (_, i) => from + i * 1_000_000),
    values: Array.from(
      { length: perSeries },
      (_, i) => Math.round(2_000 + 900 * Math.sin(i / 600 + id)) / 100,
    ),
    texts: new Array<null>(perSeries).fill(null),
    qualities: new Array<null>(perSeries).fill(null),
  };
}

async function measure(name: string, work: () => Promise<void> | void): Promise<void> {
  const begin = performance.now();
  await work();
  const seconds = (performance.now() - begin) / 1_000;
  const rate = Math.round(total / seconds).toLocaleString('en');
  console.log(`${name.padEnd(24)} ${total} points in ${seconds.toFixed(2)} s: ${rate} points/s`);
}

async function measureWrite(points: readonly SeriesPoints[], gzip: boolean): Promise<void> {
  const store = createInfluxStore({ ...options, gzip }, silentLog);
  await store.prepare();
  await measure(`write, gzip ${gzip ? 'on' : 'off'}`, async () => {
    for (let i = 0; i < points.length; i += 20) {
      const series = points.slice(i, i + 20);
      await store.write(
        { stream: 'history', range: { from: 0, to: 1 }, series, fresh: true },
        async () => {},
      );
    }
  });
  await store.close();
}

async function checkAndDrop(): Promise<void> {
  const reader = openInfluxReader(options);
  const { values } = await reader.totalsOfAll({ from: 0, to: Date.now() * 1_000 });
  await reader.close();
  if (values !== total) throw new Error(`${values} points are stored instead of ${total}`);
  await fetch(`${url}/query`, {
    method: 'POST',
    body: new URLSearchParams({ q: 'DROP DATABASE plantsync_bench' }),
  });
}

const points = Array.from({ length: Math.ceil(total / perSeries) }, (_, id) => makeSeries(id));
await measure('encode', async () => {
  const encoder = createLineEncoder('runtime');
  const refusals = collectRefusals();
  for await (const _ of cutChunks({
    encoder,
    points,
    maxLines: 5_000,
    maxLength: () => 4_194_304,
    refusals,
  }));
});
for (const gzip of [true, false]) {
  await measureWrite(points, gzip);
  await checkAndDrop();
}
