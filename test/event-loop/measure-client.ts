/**
 * Asks a platform one question after the other. Prints how long the process was held up by each:
 * `[{"name":…,"heldUpMs":…}]`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Breaks } from '../../src/breaks.ts';
import { readCurrentAlarms } from '../../src/extract/current-alarms.ts';
import { readPages } from '../../src/extract/pages.ts';
import { readReply } from '../../src/extract/replies.ts';
import { classifyFailure, createWindowRead } from '../../src/extract/windows.ts';
import { silentLog } from '../../src/log.ts';
import { openPlatform } from '../../src/platform/open-platform.ts';
import { platformDefaults } from '../../src/platform/platform-options.ts';
import { createMemoryTokenStore } from '../../src/platform/token/token-store.ts';
import { DividingReader } from '../../src/series/dividing-reader.ts';
import { createInstantParser } from '../../src/series/instant.ts';
import { ReplySizes } from '../../src/series/reply-sizes.ts';
import { clipRows } from '../../src/series/rows.ts';
import type { WindowRequest } from '../../src/series/window-request.ts';
import { listNetworkNodes } from '../../src/streams/network-tree.ts';
import { LoopMeter } from './loop-meter.ts';
import { type Question, samples, series } from './replies.ts';
import { storePoints } from './store-points.ts';

const [baseUrl = '', storeUrl = '', ...names] = process.argv.slice(2);
const { signal } = new AbortController();
const platform = openPlatform(
  { ...platformDefaults, baseUrl, appId: 'app', secret: 'secret', retries: 0 },
  { tokens: createMemoryTokenStore(), log: silentLog },
);
const pump = { id: 1, object: 'pump1', property: 'temp', primitiveType: 'Double' };
const window = { series: [pump], fromSec: 1_700_000_000, toSec: 1_702_000_000 };
const readWindow = (sample: string) =>
  createWindowRead({
    platform: {
      ...platform,
      readHistory: (request) => platform.readHistory({ ...request, limit: names.indexOf(sample) }),
    },
    parseInstant: createInstantParser({}),
    signal,
    onReject: () => undefined,
    onReply: () => undefined,
  });
/**
 * Reads a window. The platform sends the same reply to every request, so rows outside of the window are left
 * out here.
 */
const readPart = (sample: string) => async (request: WindowRequest) =>
  clipRows(await readWindow(sample)(request), request, new Breaks());
const fill = (sample: string) =>
  new DividingReader(window, {
    read: readPart(sample),
    classify: classifyFailure,
    replySizes: new ReplySizes(),
    limit: { current: 1e9 },
    onComplete: (part, rows) => storePoints(part, rows, storeUrl),
    onUnreadable: async (_, reason) => {
      throw new Error(reason);
    },
  }).read();
const ask: Record<Question, (sample: string) => Promise<unknown>> = {
  list: (keyword) =>
    readPages(
      platform,
      {
        operation: 'listObjects',
        query: { keyword },
        pageSize: 100,
        pagesAtOnce: 1,
        trustTotal: true,
        proveEnd: false,
        keyOf: (record) => (record as { name?: string } | null)?.name,
        signal,
      },
      async () => undefined,
    ),
  history: (sample) => readWindow(sample)({ ...window, limit: 1, offset: 0 }),
  filling: fill,
  current: (sample) => platform.readCurrent([series, sample]),
  alarms: (keyword) => readCurrentAlarms(platform, { priorities: undefined, keyword, signal }),
  network: (networkName) =>
    readReply(platform, {
      operation: 'getNetwork',
      path: { networkName },
      records: listNetworkNodes,
      signal,
    }),
};

await platform.call('getHealth', {}).catch(() => undefined);
const meter = new LoopMeter();
const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();
const measured: object[] = [];
for (const name of names) {
  meter.take();
  delays.reset();
  const beganMs = performance.now();
  const outcome = await ask[samples[name]?.question ?? 'list'](name).then(
    () => 'read',
    (error: Error) => error.message.slice(0, 200),
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  measured.push({
    name,
    outcome,
    heldUpMs: Math.round(meter.take()),
    delayMs: Math.round(delays.max / 1e6),
    tookMs: Math.round(performance.now() - beganMs),
  });
}
process.stdout.write(JSON.stringify(measured));
meter.stop();
await platform.close();
