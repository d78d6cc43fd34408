/**
 * `node --import tsx test/bench/looks.ts [millions] [patterns] [URL]` measures the commands that look at all
 * series. Each of them has ten fragments of coverage. Series share their holes if there are fewer patterns of
 * holes than series; with more, each has its own (the default). The URL is that of an empty database, or of
 * one that this program has filled before. Without a URL, a server is started.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { PostgresOptions } from '../../src/postgres/connect.ts';
import { buildProgram, removeProgram } from '../support/program/build-program.ts';
import { startStubPlatform } from '../support/stub/platform.ts';
import { type AimName, judge } from './aims/aims.ts';
import { environmentOf, memoryOf } from './program.ts';
import { fillYear, withServer } from './year-ledger.ts';

const [millions = '2', patterns = '10000000', url] = process.argv.slice(2);
const PROPERTIES = 20;
/** Whether the plant is one that the aims are for. */
const isFullSize = Number(millions) >= 2 && Number(patterns) > Number(millions) * 1e6;
const SAMPLE_MS = 50;
const main = await buildProgram();
process.once('beforeExit', removeProgram);

/** How a command went: seconds to its first output and to its end, and the most memory that it held. */
interface Look {
  readonly firstSec: number;
  readonly seconds: number;
  readonly peakMiB: number;
  readonly bytes: number;
}

/** Runs a command, reads its output, and keeps none of it. */
async function look(args: readonly string[], env: Record<string, string>): Promise<Look> {
  const begunAt = performance.now();
  const since = () => (performance.now() - begunAt) / 1000;
  const child = spawn(process.execPath, [main, ...args, '--log-level', 'warn'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let [peakMiB, bytes, firstSec] = [0, 0, Number.NaN];
  const watch = setInterval(async () => {
    peakMiB = Math.max(peakMiB, (await memoryOf(child.pid)).peak);
  }, SAMPLE_MS);
  child.stdout.on('data', (chunk: Buffer) => {
    if (bytes === 0) firstSec = since();
    bytes += chunk.length;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(watch);
  // 1 and 3 tell that something is away or missing, which is so here.
  if (code !== 0 && code !== 1 && code !== 3) throw new Error(`${args.join(' ')} ended with ${code}`);
  return { firstSec, seconds: since(), peakMiB, bytes };
}

interface Asked {
  readonly name: string;
  readonly args: readonly string[];
  readonly aim?: readonly [AimName, 'seconds' | 'peakMiB'];
}

const looks: readonly Asked[] = [
  { name: 'the first look, which chooses the series', args: ['status'] },
  { name: 'status', args: ['status'], aim: ['status', 'seconds'] },
  { name: 'status as JSON', args: ['status', '--json'] },
  { name: 'the sums of gaps', args: ['gaps', '--summary'], aim: ['gapSums', 'seconds'] },
  { name: 'the sums of gaps of 30 days', args: ['gaps', '--summary', '--from', '-30d'] },
  { name: 'the list of gaps', args: ['gaps', '--from', '-30d'], aim: ['gapsMemory', 'peakMiB'] },
  { name: 'the list of gaps as JSON', args: ['gaps', '--from', '-30d', '--json'] },
  { name: 'discover', args: ['discover'], aim: ['discoverMemory', 'peakMiB'] },
];

async function benchLooks(options: PostgresOptions): Promise<void> {
  const objects = (Number(millions) * 1e6) / PROPERTIES;
  await fillYear(options, {
    parts: [{ prefix: 'all', objects, fragments: 10 }],
    propertiesPerObject: PROPERTIES,
    patterns: Number(patterns),
  });
  const stub = await startStubPlatform({});
  const platform = { baseUrl: stub.baseUrl, appId: 'app', secret: 'secret', close: async () => undefined };
  const env = {
    ...environmentOf(platform, { options }),
    // What was stored when the ledger was made counts as up to date for half a day. The wanted range begins
    // within the first stored one, as it does after some days.
    PLANTSYNC_RUNTIME: JSON.stringify([{ objects: '*', history: { start: '364d', settle: '12h' } }]),
  };
  try {
    for (const { name, args, aim } of looks) {
      const looked = await look(args, env);
      const { firstSec, seconds, peakMiB, bytes } = looked;
      const size = bytes > 1e6 ? `, ${Math.round(bytes / 1e6)} MB` : '';
      console.log(
        `${name}: ${seconds.toFixed(1)} s, first output after ${firstSec.toFixed(1)} s, peak ${Math.round(peakMiB)} MiB${size}`,
      );
      if (aim !== undefined && isFullSize) judge(aim[0], looked[aim[1]]);
    }
  } finally {
    await stub.close();
  }
}

await withServer(url, benchLooks);
