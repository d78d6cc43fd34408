/**
 * `node --import tsx test/bench/first-picture.ts [rounds]` measures the first picture of the console on
 * loopback: that of a demo which has read its whole plant. It tells how long a browser without any cache
 * waits for it, and for the numbers on it.
 *
 * The first picture has at least a word on it, which may be "Loading…". The largest text or image comes
 * with the numbers; a canvas does not count as one. Each visit has a cold renderer process, as that of the
 * plain text has.
 *
 * @see https://www.w3.org/TR/paint-timing/ and https://www.w3.org/TR/largest-contentful-paint/
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBrowser } from '../support/browser.ts';
import { startProgram } from './program.ts';

/** The demo looks at what it has stored, for so long after its first cycle. */
const SETTLE_MS = 15_000;

/** What the browser tells about a request, in milliseconds after the begin of the page. */
interface Timing {
  readonly name: string;
  readonly responseEnd: number;
}

/** Asks the browser when it has shown the largest text or image up to now. */
const LARGEST_PART = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true });
})`;

const rounds = Number(process.argv[2] ?? 15);
// The demo keeps its data in the working folder.
const folder = await mkdtemp(join(tmpdir(), 'plantsync-picture-'));
process.chdir(folder);
const demo = startProgram(['demo']);
const [line] = (await once(demo.stdout?.setEncoding('utf8') ?? demo, 'data')) as [string];
const { console: url } = JSON.parse(line) as { console: string };
const browser = await startBrowser();
try {
  await sleep(SETTLE_MS);
  // The first address is a plain text: what the browser itself takes.
  for (const path of ['/healthz', '/', '/coverage', '/explorer']) {
    const first: number[] = [];
    const largest: number[] = [];
    const whole: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { page } = await browser.open(`${url}${path}`);
      await page.waitForLoadState('networkidle');
      await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length > 0");
      const found = await page.evaluate(() => ({
        first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
        whole: Math.max(
          0,
          ...(performance.getEntriesByType('resource') as unknown as Timing[])
            .filter(({ name }) => name.includes('/api/v1/') && !name.endsWith('/events'))
            .map(({ responseEnd }) => responseEnd),
        ),
      }));
      first.push(found.first ?? Number.NaN);
      largest.push(await page.evaluate(LARGEST_PART));
      whole.push(found.whole);
      await page.context().close();
    }
    console.log(
      `${path}: first picture ${describe(first)}, largest part ${describe(largest)}, ` +
        `last answer ${describe(whole)} (${rounds} rounds)`,
    );
  }
} finally {
  await browser.close();
  demo.kill();
  await once(demo, 'close');
  await rm(folder, { recursive: true });
}

function describe(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN);
  return `${at(0.5)} ms (median), ${at(1)} ms (longest)`;
}
