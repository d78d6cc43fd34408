import { startBrowser } from '../support/browser.ts';
import type { Superset } from './superset-server.ts';

const WIDTH = 1440;
/** The page of Superset draws only the charts that can be seen, so the window is as tall as the page. */
const HEIGHT = 2600;
const LOAD_TIMEOUT_MS = 300_000;
const LOADING = '.dashboard .loading, .dashboard [data-test="loading-indicator"]';
/** Space below the last chart. */
const MARGIN = 24;
/** Animations of charts are over after this time. */
const ANIMATION_MS = 3000;

/** A dashboard to take a picture of. */
export interface Picture {
  readonly slug: string;
  readonly path: string;
}

/**
 * Opens each dashboard and takes a picture of it. Returns what the page complains of: charts that are empty
 * or show an error.
 */
export async function takePictures(superset: Superset, pictures: readonly Picture[]): Promise<string[]> {
  const browser = await startBrowser();
  try {
    const { page } = await browser.open(`${superset.url}/login/`, {
      viewport: { width: WIDTH, height: HEIGHT },
    });
    await page.fill('#username', superset.username);
    await page.fill('#password', superset.password);
    await Promise.all([page.waitForURL(/welcome/), page.press('#password', 'Enter')]);
    const complaints: string[] = [];
    for (const { slug, path } of pictures) {
      await page.goto(`${superset.url}/superset/dashboard/${slug}/`);
      await page.waitForSelector('.dashboard-component-chart-holder');
      // Nothing is under way once no chart shows that it loads.
      await page.waitForFunction(`document.querySelectorAll('${LOADING}').length === 0`, undefined, {
        timeout: LOAD_TIMEOUT_MS,
      });
      await page.waitForTimeout(ANIMATION_MS);
      const last = page.locator('.dashboard-component-chart-holder').last();
      const { y, height } = (await last.boundingBox()) ?? { y: 0, height: HEIGHT };
      await page.screenshot({
        path,
        clip: { x: 0, y: 0, width: WIDTH, height: Math.ceil(y + height + MARGIN) },
      });
      const found = await page.$$eval(
        '.ant-alert-error, [data-test="error-container"], .ant-empty',
        (elements) => elements.map((element) => element.textContent ?? ''),
      );
      complaints.push(...found.map((text) => `${slug}: ${text}`));
    }
    return complaints;
  } finally {
    await browser.close();
  }
}
