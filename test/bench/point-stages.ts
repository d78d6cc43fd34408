/**
 * `node --import tsx test/bench/point-stages.ts` measures the processor time of each step of a point. The
 * steps lead from the bytes of a reply to the bytes that a store gets. No server is needed.
 */
import { gzipSync } from 'node:zlib';
import { stringify } from 'lossless-json';
import { createWindowRead } from '../../src/extract/windows.ts';
import { encodePoints } from '../../src/load/copy/encode.ts';
import { type Chunk, cutChunks } from '../../src/load/stores/influx/chunks.ts';
import { createLineEncoder } from '../../src/load/stores/influx/line-protocol.ts';
import { collectRefusals } from '../../src/load/stores/influx/refused-points.ts';
import { normalizePoints } from '../../src/normalize/normalize-points.ts';
import { decodeHistory } from '../../src/platform/history/decode-history.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { parseHistoryInParts } from '../../src/platform/reply.ts';
import { createInstantParser } from '../../src/series/instant.ts';
import type { Series, SeriesPoints } from '../../src/series/types.ts';
import { kinds } from './points-platform.ts';

const SERIES = 20;
const ROWS_OF_SERIES = 500;
const REPLIES = 40;
const ROUNDS = 5;
const WARM_UP = 2;
const fromSec = Date.UTC(2024, 4, 1) / 1000;
const encoder = createLineEncoder('runtime');

/** Adds up the processor time of the steps, in microseconds. */
class Steps {
  readonly spentUs = new Map<string, number>();

  async take<T>(name: string, work: () => Promise<T> | T): Promise<T> {
    const { user, system } = process.cpuUsage();
    const result = await work();
    const spent = process.cpuUsage({ user, system });
    this.spentUs.set(name, (this.spentUs.get(name) ?? 0) + spent.user + spent.system);
    return result;
  }
}

function makeSeries(kind: string): Series[] {
  const primitiveType = kinds[kind]?.primitiveType ?? null;
  return Array.from({ length: SERIES }, (_, k) => ({
    id: k + 1,
    object: kind,
    property: `measured ${k}`,
    primitiveType,
  }));
}

function makeReply(kind: string, series: readonly Series[], reply: number): Buffer {
  const rows = Array.from({ length: ROWS_OF_SERIES }, (_, k) => {
    const second = fromSec + reply * ROWS_OF_SERIES + k;
    return [new Date(second * 1000).toISOString().replace('.000Z', 'Z'), kinds[kind]?.valueAt(second)];
  });
  const results = series.map(({ property }) => ({
    name: `${kind}.${property}`,
    fields: ['time', 'value'],
    datas: rows,
  }));
  return Buffer.from(stringify({ results }) as string);
}

/** Takes the points of a reply through all steps. */
async function pass(bytes: Buffer, series: readonly Series[], steps: Steps): Promise<void> {
  const body = await steps.take('parse', () => parseHistoryInParts(bytes));
  const read = createWindowRead({
    platform: {
      readHistory: async (request) => ({ columns: decodeHistory(body, request), bytes: bytes.length }),
    } as Pick<Platform, 'readHistory'> as Platform,
    parseInstant: createInstantParser({}),
    signal: new AbortController().signal,
    onReject: (_, row, reason) => {
      throw new Error(`${reason}: ${row}`);
    },
    onReply: () => undefined,
  });
  const window = { series, fromSec, toSec: fromSec + REPLIES * ROWS_OF_SERIES, limit: 50_000, offset: 0 };
  const rows = await steps.take('rows', () => read(window));
  const points = await steps.take('normalize', async () => {
    const all: SeriesPoints[] = [];
    for (const each of series)
      all.push((await normalizePoints(each, rows.get(each.id) ?? { times: [], values: [] })).points);
    return all;
  });
  await steps.take('COPY', () => [...encodePoints(points)].length);
  const chunks = await steps.take('lines', async () => {
    const source = {
      encoder,
      points,
      maxLines: 5_000,
      maxLength: () => 4_194_304,
      refusals: collectRefusals(),
    };
    const cut: Chunk[] = [];
    for await (const chunk of cutChunks(source)) cut.push(chunk);
    return cut;
  });
  await steps.take('gzip', () => chunks.map((chunk) => gzipSync(chunk.bytes, { level: 1 }).length));
}

for (const kind of Object.keys(kinds)) {
  const series = makeSeries(kind);
  const replies = Array.from({ length: REPLIES }, (_, reply) => makeReply(kind, series, reply));
  const steps = new Steps();
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    if (round === WARM_UP) steps.spentUs.clear();
    for (const reply of replies) await pass(reply, series, steps);
  }
  const points = ROUNDS * REPLIES * SERIES * ROWS_OF_SERIES;
  const costs = [...steps.spentUs].map(([name, us]) => `${name} ${(us / points).toFixed(3)}`);
  console.log(`${kind.padEnd(6)} µs a point: ${costs.join(', ')}`);
}
