import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AlarmsReply } from '../../src/console/api/alarms.ts';
import type { ChartReply } from '../../src/console/api/explorer.ts';
import { ensureAlarmTables } from '../../src/load/alarms/alarm-tables.ts';
import { syncStreams } from '../../src/sync/once/sync-streams.ts';
import { expectAccessible, startBrowser, type TestBrowser } from '../support/browser.ts';
import { seriesPoints, type TestPoint } from '../support/influx/influx-points.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../support/plant-context.ts';
import { startContextConsole } from './start-console.ts';

const t0 = Date.UTC(2024, 4, 1) * 1000;
const minute = 60e6;
const range = { from: t0, to: t0 + 100 * minute };
const shown = 'from=2024-05-01T00:00:00.000Z&to=2024-05-01T01:40:00.000Z';

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

/** Opens a plant with a series `feed/pump·flow` that has a gap of ten minutes. */
async function openPlant(): Promise<SimulatedPlant> {
  const plant = await openSimulatedPlant({ size: 'tiny' }, ({ influx }) => ({ influx }));
  const { ctx } = plant;
  const item = { object: 'feed/pump', property: 'flow', primitiveType: 'Double' };
  await syncStreams(ctx, ['objects', 'object_properties']);
  await ctx.db.query(`insert into plant.objects (name, show_name) values ('feed/pump', '给水泵')`);
  await ctx.db.query(
    `insert into plant.object_properties (object, property, show_name, primitive_type)
     values ('feed/pump', 'flow', '流量', 'Double')`,
  );
  ctx.catalog.expire();
  const [series] = await ctx.ledger.series.register([item]);
  const points = Array.from({ length: 100 }, (_, k): TestPoint => [t0 + k * minute, k]);
  const written = points.filter((_, k) => k < 40 || k >= 50);
  for (const each of ctx.stores) {
    const change = { store: each.id, stream: 'history', seriesIds: [series?.id ?? 0], range };
    const batch = { stream: 'history', range, series: [seriesPoints(series ?? {}, written)], fresh: true };
    await each.write(batch, (tx) => ctx.ledger.coverage.add(change, tx));
    const gap = { from: t0 + 40 * minute, to: t0 + 50 * minute };
    await ctx.ledger.coverage.remove({ ...change, range: gap });
  }
  return plant;
}

/** Writes an alarm that was acknowledged after five minutes and ended, and one that goes on. */
async function writeAlarms({ ctx }: SimulatedPlant): Promise<void> {
  await ensureAlarmTables(ctx.db, ctx.schemas.data);
  await ctx.db.query(
    `insert into plant.alarms (object, property, show_name, alarm_type, started_at, priority, is_active,
       is_acknowledged, acknowledged_at, acknowledged_by, cleared_after, cleared_before)
     values ('feed/pump', 'flow', 'Dry run', 'LT', '2024-05-01T00:00:00Z', 2, false, true,
         '2024-05-01T00:05:00Z', 'lina', '2024-05-01T00:29:55Z', '2024-05-01T00:30:00Z'),
       ('feed/pump', 'flow', '流量过高', 'GT', '2024-05-01T01:00:00Z', 5, true, false, null, null, null, null)`,
  );
  await ctx.db.query(
    `insert into plant.alarm_events (object, property, show_name, alarm_type, started_at, transition, at, username, place)
     select object, property, show_name, alarm_type, started_at, 'raised', started_at, null, 0 from plant.alarms
     union all
     select object, property, show_name, alarm_type, started_at, 'acknowledged', acknowledged_at,
       acknowledged_by, 0 from plant.alarms where acknowledged_at is not null`,
  );
}

async function ask<T>(url: string, path: string): Promise<T> {
  const reply = await fetch(`${url}/api/v1${path}`);
  return (await reply.json()) as T;
}

const isWide = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth');

describe('the explorer of the console', () => {
  it('finds a series by the keyboard, and shows its chart, gaps, points and queries', async () => {
    const plant = await openPlant();
    const url = await startContextConsole(plant.ctx);
    const { page, faults, foreign } = await browser.open(`${url}/explorer?${shown}`);
    await page.getByRole('combobox', { name: 'Find a series' }).fill('给水 flow');
    await page.getByRole('option', { name: /feed\/pump/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.plot canvas').waitFor();
    expect(new URL(page.url()).searchParams.getAll('series')).toEqual(['feed~1pump/flow']);
    await page.getByText('90 points · 1 range is missing').waitFor();
    await page.getByRole('cell', { name: '2024-05-01 00:00:00' }).waitFor();
    await page.getByText(/select s\.object, s\.property/).waitFor();
    await page.getByText(/SELECT "value", "text" FROM "runtime"/).waitFor();
    await expectAccessible(page);
    const csv = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    const lines = (await (await fetch(url + csv)).text()).trim().split('\n');
    expect(lines).toHaveLength(91);
    expect(lines.slice(0, 2)).toEqual([
      'object,property,time,value,quality',
      'feed/pump,flow,2024-05-01T00:00:00Z,0,',
    ]);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.waitForURL(/from=2024-05-01T00%3A25/);
    await page.reload();
    await page.getByText('40 points · 1 range is missing').waitFor();
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  it('shows the last stored day if nobody has chosen a range, and offers it to those who have', async () => {
    const plant = await openPlant();
    const url = await startContextConsole(plant.ctx);
    const newest = Math.floor(Date.now() / 60_000) * 60_000 - 3 * 86_400_000;
    const { ledger, postgresStore } = plant.ctx;
    const [pump] = await ledger.series.register([
      { object: 'feed/pump', property: 'flow', primitiveType: 'Double' },
    ]);
    const days = { from: newest * 1000, to: newest * 1000 + minute };
    await postgresStore.write(
      { stream: 'history', range: days, series: [seriesPoints(pump ?? {}, [[days.from, 7]])], fresh: true },
      (tx) =>
        ledger.coverage.add(
          { store: postgresStore.id, stream: 'history', seriesIds: [pump?.id ?? 0], range: days },
          tx,
        ),
    );
    const series = 'series=feed~1pump%2Fflow';
    const { page, faults } = await browser.open(`${url}/explorer?${series}`);
    const [from, to] = [newest - 86_340_000, newest + 60_000].map((ms) => new Date(ms).toISOString());
    const seesLastDay = async () => {
      await page.getByText(/^1 point/).waitFor();
      const { searchParams } = new URL(page.url());
      expect([searchParams.get('from'), searchParams.get('to')]).toEqual([from, to]);
    };
    await seesLastDay();
    await page.goto(`${url}/explorer?${series}&from=-1h`);
    await page.getByRole('button', { name: 'Show its day' }).click();
    await seesLastDay();
    expect(faults).toEqual([]);
  });

  it('fits a phone, in the dark and in Chinese', async () => {
    const plant = await openPlant();
    await writeAlarms(plant);
    const url = await startContextConsole(plant.ctx);
    const series = encodeURIComponent('feed~1pump/flow');
    const { page, faults } = await browser.open(`${url}/explorer?series=${series}&${shown}`, {
      language: 'zh',
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    });
    await page.locator('.plot canvas').waitFor();
    await page.getByText('90 个点 · 1 段缺失').waitFor();
    expect(await isWide(page)).toBe(false);
    await expectAccessible(page);
    await page.goto(`${url}/alarms?state=all`);
    await page.getByText('流量过高').waitFor();
    expect(await isWide(page)).toBe(false);
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });

  it('answers from either store, and refuses what it does not know', async () => {
    const plant = await openPlant();
    const url = await startContextConsole(plant.ctx);
    const series = `series=${encodeURIComponent('feed~1pump/flow')}`;
    for (const store of ['postgres', 'influx']) {
      const chart = await ask<ChartReply>(url, `/explorer/chart?${series}&${shown}&store=${store}`);
      expect(chart).toMatchObject({
        ...{ object: 'feed/pump', property: 'flow', kind: 'numbers', points: 90, reduced: false },
        gaps: [{ from: '2024-05-01T00:40:00Z', to: '2024-05-01T00:50:00Z' }],
      });
      expect(chart.line[40]).toEqual(['2024-05-01T00:40:00Z', null]);
    }
    for (const [query, problem] of [
      [`${series}&${shown}&store=mongo`, /no store mongo/],
      [`series=a%2Fb&${shown}`, /series a\/b/],
      [`${series}&from=2024-05-02&to=2024-05-01`, /must be before/],
      [`${series}&from=-1d&stream=current`, /stream current/],
      [`${series}&from=-1d&columns=5`, /columns/],
      [`${series}&from=-1d&object=x`, /object/],
    ] as const) {
      const reply = await fetch(`${url}/api/v1/explorer/chart?${query}`);
      expect(reply.status).toBe(400);
      expect(await reply.text()).toMatch(problem);
    }
  });
});

describe('the alarms of the console', () => {
  it('show who acknowledged them after how long, and what goes on', async () => {
    const plant = await openPlant();
    await writeAlarms(plant);
    const url = await startContextConsole(plant.ctx);
    const { page, faults } = await browser.open(`${url}/alarms`);
    await page.getByText('流量过高').waitFor();
    await expect.poll(() => page.getByText('Dry run').count()).toBe(0);
    await page.getByLabel('State').selectOption('ended');
    await page.getByText('after 5 min by lina').waitFor();
    await page.getByText('30 min').waitFor();
    await page.getByText('Life (2)').click();
    await page.getByText(/acknowledged by lina/).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'feed/pump · flow' }).click();
    await page.locator('.plot canvas').waitFor();
    expect(faults).toEqual([]);
  });

  it('come in pages, by state, name, priority and time', async () => {
    const plant = await openPlant();
    await writeAlarms(plant);
    const url = await startContextConsole(plant.ctx);
    const names = async (query: string) =>
      (await ask<AlarmsReply>(url, `/alarms?${query}`)).items.map(({ name }) => name);
    expect(await names('')).toEqual(['流量过高', 'Dry run']);
    expect(await names('state=unacknowledged')).toEqual(['流量过高']);
    expect(await names('search=dry')).toEqual(['Dry run']);
    expect(await names('search=%25')).toEqual([]);
    expect(await names('priority=2')).toEqual(['Dry run']);
    expect(await names('from=2024-05-01T00:30:00Z')).toEqual(['流量过高']);
    const { items, next } = await ask<AlarmsReply>(url, '/alarms?limit=1');
    expect(items).toMatchObject([{ raisedAt: '2024-05-01T01:00:00Z', active: true, acknowledged: false }]);
    const last = await ask<AlarmsReply>(url, `/alarms?limit=1&after=${next}`);
    expect(last.next).toBeUndefined();
    expect(last.items).toMatchObject([
      {
        ...{ name: 'Dry run', acknowledgedBy: 'lina', acknowledgedAfterSec: 300, lastedSec: 1_800 },
        ...{ endedAfter: '2024-05-01T00:29:55Z', endedAt: '2024-05-01T00:30:00Z' },
        events: [{ transition: 'raised' }, { transition: 'acknowledged', by: 'lina' }],
      },
    ]);
    expect((await fetch(`${url}/api/v1/alarms?after=nonsense`)).status).toBe(400);
  });
});
