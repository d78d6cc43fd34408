import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectAccessible, startBrowser, type TestBrowser } from '../../support/browser.ts';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { freePort } from '../../support/servers/process.ts';
import { noAlarms, onlyStreams } from '../../support/stream-switches.ts';

const HOUR_MS = 3_600_000;
let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Starts a service with an hour of a series missing on purpose. Paused jobs do not fill it by themselves. */
async function startWithGap() {
  const simulator = await openSimulator({ size: { objects: 0, persons: 0 } });
  const points = Array.from({ length: 720 }, (_, k): [number, number] => [Date.now() - k * 60_000, k]);
  for (const name of ['fan', 'pump'])
    simulator.addObject({ name, properties: [{ name: 'temp', points: points.toReversed() }] });
  const port = await freePort();
  const history = { objects: '{pump,fan}', properties: 'temp', current: false, history: { start: '6h' } };
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
    platform: { retries: 0 },
    postgres,
    streams: { ...onlyStreams(), objects: { every: '30d' }, object_properties: { every: '30d' } },
    alarms: noAlarms,
    runtime: [history],
    console: { port },
  }));
  expect((await project.run(['sync'])).code).toBe(0);
  await project.run(['pause']);
  const { db } = project.databases;
  const missing = { from: Date.now() - 4 * HOUR_MS, to: Date.now() - 3 * HOUR_MS };
  await db.query(
    `update plantsync.coverage set covered = covered - tstzmultirange(tstzrange($1, $2))
     where series_id = (select series_id from plant.series where object = 'pump')`,
    [new Date(missing.from), new Date(missing.to)],
  );
  await db.query(`delete from plant.samples where at >= $1 and at < $2`, [
    new Date(missing.from),
    new Date(missing.to),
  ]);
  const service = project.start(['run']);
  await service.printed(/the console answers/);
  const readyz = `http://127.0.0.1:${port}/readyz`;
  await expect.poll(async () => (await fetch(readyz)).status, { interval: 200 }).toBe(200);
  return { ...project, simulator, url: `http://127.0.0.1:${port}`, missing };
}

/** Returns the colours of a row of the picture, from left to right. A row is 22 pixels high. */
function coloursOfRow(page: Page, row: number): Promise<string[]> {
  return page.locator('.map-rows canvas').evaluate((element, index) => {
    const canvas = element as unknown as Canvas;
    const { data } = canvas.getContext('2d').getImageData(0, index * 22 + 11, canvas.width, 1);
    const hex = (value = 0) => value.toString(16).padStart(2, '0');
    return Array.from(
      { length: data.length / 4 },
      (_, x) => `#${[0, 1, 2].map((c) => hex(data[x * 4 + c])).join('')}`,
    );
  }, row);
}

/** The part of a canvas that is looked at. The program itself knows no DOM. */
interface Canvas {
  readonly width: number;
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: readonly number[] };
  };
}

it('shows a gap on the map, fills it by a click, and shows that it is gone', async () => {
  const { url, databases, missing } = await startWithGap();
  const { page, faults, foreign } = await browser.open(`${url}/coverage`);
  // The colour of --map-gap in the light theme.
  const gapColour = '#a3330a';
  const widthOfGap = async (row: number) =>
    (await coloursOfRow(page, row)).filter((colour) => colour === gapColour).length;
  // The rows are fan and pump.
  await expect.poll(() => widthOfGap(1)).toBeGreaterThan(50);
  expect(await widthOfGap(0)).toBe(0);
  await page.getByRole('img', { name: /91\.\d % of the wanted data of 2 series/ }).waitFor();
  await expectAccessible(page);

  const left = (await coloursOfRow(page, 1)).indexOf(gapColour);
  const box = await page.locator('.map-rows canvas').boundingBox();
  const at = { x: (box?.x ?? 0) + left + 20, y: (box?.y ?? 0) + 33 };
  await page.mouse.move(at.x, at.y);
  const tip = page.locator('.map-tip');
  await tip.getByText('missing').waitFor();
  const told = new RegExp(new Date(missing.from).toISOString().slice(0, 16).replace('T', ' '));
  expect(await tip.textContent()).toMatch(told);
  expect(await tip.textContent()).toMatch(/^pump.*postgres:/);

  await page.mouse.click(at.x, at.y);
  const dialog = page.getByRole('dialog', { name: 'Fill a gap' });
  await dialog.getByText(/Reads 1 hour of 1 series/).waitFor();
  await dialog.getByText(/points in \d+ requests?/).waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Fill the gap' }).click();
  await dialog.getByText('The gap is filled.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => widthOfGap(1)).toBe(0);
  await page.getByText('No gaps: everything wanted in this time is stored.').waitFor();
  const [stored] = await databases.rows(
    `select count(*)::int from plant.samples where at >= '${new Date(missing.from).toISOString()}'
     and at < '${new Date(missing.to).toISOString()}'
     and series_id = (select series_id from plant.series where object = 'pump')`,
  );
  expect(stored).toBe(60);
  expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
});

it('is read and moved by keys, in both languages and themes, on a phone and a wide screen', async () => {
  const { url } = await startWithGap();
  for (const [language, colorScheme, width] of [
    ['en', 'dark', 1440],
    ['zh', 'light', 390],
    ['zh', 'dark', 390],
  ] as const) {
    const { page, faults } = await browser.open(`${url}/coverage`, {
      ...{ language, colorScheme, viewport: { width, height: 900 } },
    });
    const canvas = page.locator('.map-rows canvas');
    await expect.poll(() => canvas.getAttribute('aria-label')).toMatch(/91\.\d %/);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await expectAccessible(page);
    const wide = await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth);
    expect(wide).toBeLessThanOrEqual(width);
    await page.locator('.map-rows').focus();
    const crumbs = page.locator('.crumbs li');
    for (let k = 0; k < 4; k += 1) await page.keyboard.press('+');
    await expect.poll(() => crumbs.count()).toBe(2);
    await page.keyboard.press('Backspace');
    await expect.poll(() => crumbs.count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.locator('.map-tip').textContent()).toMatch(/^pump/);
    expect(faults).toEqual([]);
    await page.context().close();
  }
});

it('the overview fills, runs, tries again and resumes by the buttons of its problems', async () => {
  const { url, simulator, databases, run } = await startWithGap();
  simulator.setFaults([{ kind: 'status', status: 500, operation: 'listObjects' }]);
  expect((await run(['sync', 'objects'])).code).toBe(1);
  simulator.setFaults([]);
  const { page, faults } = await browser.open(url);
  const problem = (text: RegExp) => page.locator('.problems li').filter({ hasText: text });
  const isGone = (text: RegExp) => expect.poll(() => problem(text).count()).toBe(0);

  const gap = /lacks? 1 h of 1 series/;
  await problem(gap).getByRole('button', { name: 'Fill…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/Reads 1 hour of 1 series/).waitFor();
  await dialog.getByRole('button', { name: 'Fill the gap' }).click();
  await dialog.getByText('The gap is filled.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();

  const paused = /everything is paused/i;
  await problem(paused).getByRole('button', { name: 'Resume' }).click();
  await isGone(paused);

  const failed = /the run of objects/;
  await problem(failed).getByRole('button', { name: 'Run now' }).click();
  await problem(failed).getByText('Begun').waitFor();
  await isGone(failed);

  // A scan of objects settles what it does not meet, so the reject comes after it.
  await databases.db.query(
    `insert into plantsync.rejects (stream, kind, key, reason, count) values ('objects', 'record', 'x', 'no name', 1)`,
  );
  await page.reload();
  await problem(/reject/)
    .getByRole('button', { name: 'Try again' })
    .click();
  await problem(/reject/)
    .getByText(/tried again/)
    .waitFor();
  expect(faults).toEqual([]);
});
