import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { loadWithOrigins } from '../../../src/config/load.ts';
import { startConsoleServer } from '../../../src/console/console-server.ts';
import { STORE_KINDS } from '../../../src/load/stores/store-kinds.ts';
import { silentLog } from '../../../src/log.ts';
import { closeQueues, openQueues } from '../../../src/queue/bullmq/bull-queues.ts';
import { lookAtQueues } from '../../../src/queue/bullmq/look-at-queues.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { doOrder } from '../../../src/sync/orders/do-order.ts';
import { expectAccessible, startBrowser, type TestBrowser } from '../../support/browser.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';
import { openRedis } from '../../support/servers/servers.ts';

let chromium: TestBrowser;
beforeAll(async () => {
  chromium = await startBrowser();
});
afterAll(() => chromium.close());

const nowMs = Date.UTC(2026, 2, 1, 12);
const pageFolder = join(import.meta.dirname, '../../../dist/page');
/** A folder for screenshots, for people who want to look at the pages. */
const shots = process.env.PLANTSYNC_TEST_SCREENSHOTS;

function* everyMinute(): Generator<[number, number]> {
  for (let k = 0; k < 600; k += 1) yield [nowMs - 36e6 + k * 60_000, k];
}

/** Opens a console with a bit of everything in its ledger. */
async function openConsole() {
  const runtime = [{ objects: 'pump', properties: 'temp', current: false, history: { start: '10m' } }];
  const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 }, nowMs: () => nowMs }, () => ({
    runtime,
  }));
  plant.simulator.addObject({ name: 'pump', properties: [{ name: 'temp', points: everyMinute() }] });
  const { ctx } = plant;
  const overrides = {
    runtime,
    platform: { baseUrl: 'https://plant.example', appId: 'app', secret: 'sesame' },
  };
  const { layers } = await loadWithOrigins({ env: {}, overrides });
  await ctx.ledger.rejects.add([
    { stream: 'persons', kind: 'record', key: 'ann', reason: 'name: must be a text', sample: { name: null } },
    { stream: 'gone', kind: 'record', key: 'x', reason: 'no such thing' },
  ]);
  const drift = { table: 'persons', member: 'nickname', kind: 'new', count: 3, sample: 'Annie' } as const;
  await ctx.ledger.drift.replace('persons', [drift]);
  for (const name of ['Ann', 'Anna'])
    await ctx.db.query(
      `insert into plantsync.changes (table_name, key, kind, before) values ('persons', '{"name": "ann"}', 'updated', $1)`,
      [JSON.stringify({ name: 'ann', show_name: name })],
    );
  await fillHistory(ctx, { mode: 'backfill', from: (nowMs - 72e5) * 1000, to: (nowMs - 36e5) * 1000 });
  const queues = await openQueueLook();
  const readiness = () => ({ ready: true, dependencies: {} });
  const context = { ...ctx, kinds: STORE_KINDS, engine: { queues }, redis: undefined, version: '0', layers };
  const server = await startConsoleServer({
    settings: { ...ctx.config.console, port: 0 },
    context: () => ({ ...context, redact: (text: string) => text }) as never,
    ...{ version: '0', readiness, pageFolder, log: silentLog, clock: Date.now },
    prometheus: { render: async () => '', contentType: 'text/plain' },
    redact: (text) => text,
  });
  onTestFinished(() => server.close());
  return { ctx, url: server.url };
}

/** Opens queues with a piece of a backfill that waits. */
async function openQueueLook() {
  const redis = await openRedis();
  onTestFinished(() => redis.close());
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const queues = openQueues({ connection, prefix: 'page' }, (error) => expect.unreachable(String(error)));
  onTestFinished(async () => {
    await closeQueues(queues);
    connection.disconnect();
  });
  await queues.live.add('poll-1', {}, { delay: 600_000 });
  return lookAtQueues(queues);
}

async function look(page: Page, name: string): Promise<void> {
  await expectAccessible(page);
  if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

const pages = {
  rejects: ['ann', 'Rejects', '拒收'],
  runs: ['backfill', 'Runs', '运行记录'],
  backfills: ['2026-03-01', 'Backfills', '回填'],
  drift: ['nickname', 'Drift', '结构漂移'],
  changes: ['Anna', 'Changes', '变更'],
  'queues?state=delayed': ['poll-1', 'Queues', '队列'],
  configuration: ['platform.baseUrl', 'Configuration', '配置'],
} as const;

it('every page shows its records in both languages, both themes, on a phone and a wide screen', async () => {
  const { url } = await openConsole();
  for (const [width, language, colorScheme] of [
    [1440, 'en', 'light'],
    [1440, 'zh', 'dark'],
    [390, 'zh', 'light'],
    [390, 'en', 'dark'],
  ] as const) {
    const viewport = { width, height: 900 };
    const { page, faults, foreign } = await chromium.open(`${url}/rejects`, {
      language,
      colorScheme,
      viewport,
    });
    for (const [name, [text, en, zh]] of Object.entries(pages)) {
      await page.goto(`${url}/${name}`);
      await page.getByRole('heading', { level: 1, name: language === 'zh' ? zh : en }).waitFor();
      await page.locator('main').getByText(text).first().waitFor();
      const overflow = await page.evaluate('document.documentElement.scrollWidth');
      expect(overflow, `${name} at ${width}`).toBe(width);
      await look(page, `${name.replace(/\W.*/, '')}-${width}-${language}-${colorScheme}`);
    }
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
    await page.context().close();
  }
});

it('a reject is shown in full, tried again, and dismissed with a note', async () => {
  const { url, ctx } = await openConsole();
  const { page, faults } = await chromium.open(`${url}/rejects?stream=gone`);
  await page.getByRole('button', { name: 'Details' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('no such thing').waitFor();
  await look(page, 'reject');
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('waits for the service').waitFor();
  const order = await ctx.ledger.orders.take('replay');
  await doOrder(ctx, order as never, { fill: fillHistory });
  await page.getByText('1 still open').waitFor();
  await page.getByRole('button', { name: 'Details' }).click();
  await dialog.getByLabel('Who dismisses it').fill('ann: a test');
  await dialog.getByRole('button', { name: 'Dismiss' }).click();
  await dialog.getByText('dismissed').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText(/^Nothing (is open|fits)/).waitFor();
  await page.getByLabel('State').selectOption('dismissed');
  await page.getByText('ann: a test').waitFor();
  expect(faults).toEqual([]);
});

it('a backfill is begun, shows how far it is, and can be cancelled', async () => {
  const { url, ctx } = await openConsole();
  const { page, faults } = await chromium.open(`${url}/backfills`);
  const begin = async (from: string, to: string) => {
    await page.getByLabel('From').fill(from);
    await page.getByLabel('To', { exact: true }).fill(to);
    await page.getByRole('button', { name: 'Begin', exact: true }).click();
  };
  await page.getByText('Begin a backfill').click();
  await begin('2026-03-01T03:00:00Z', '2026-03-01T06:00:00Z');
  await page.getByText('waiting').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('cancelled').waitFor();
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('waiting').waitFor();
  await doOrder(ctx, (await ctx.ledger.orders.take('backfill')) as never, { fill: fillHistory });
  await page.getByText('180 postgres').waitFor();
  await look(page, 'backfills');
  await begin('tomorrow', 'now');
  await page.getByText('not a time').waitFor();
  expect(faults.filter((fault) => !fault.includes('400'))).toEqual([]);
});
