import { expect, it, onTestFinished } from 'vitest';
import { expectAccessible, type OpenedPage, startBrowser, type TestBrowser } from '../../support/browser.ts';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { freePort } from '../../support/servers/process.ts';

const [wide, narrow] = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
/** Ways to look at a page: each language, colour scheme and width, together with each of the others once. */
const looks = [
  { language: 'en', colorScheme: 'light', viewport: wide },
  { language: 'en', colorScheme: 'dark', viewport: narrow },
  { language: 'zh', colorScheme: 'light', viewport: narrow },
  { language: 'zh', colorScheme: 'dark', viewport: wide },
] as const;

/** Starts a service with a console, on a plant that has something of everything. */
async function startService(settings: { readonly token?: string } = {}): Promise<string> {
  const simulator = await openSimulator({ size: 'tiny', seed: 3, malformed: true });
  const port = await freePort();
  const project = await makeSimulatedProject(simulator, ({ postgres, influx }) => ({
    ...{ postgres, influx },
    runtime: [{ current: { every: '2s' }, history: { start: '1h', every: '5s' } }],
    console: { port, ...settings },
  }));
  project.start(['run']);
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => isFilled(url, settings)).toBe(true);
  return url;
}

/** Tells whether the first history is in both stores. */
async function isFilled(url: string, { token }: { readonly token?: string }): Promise<boolean> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const reply = await fetch(`${url}/api/v1/overview`, { headers }).catch(() => undefined);
  if (!reply?.ok) return false;
  const { stores } = (await reply.json()) as { stores: { storedUpTo?: string }[] };
  return stores.length > 0 && stores.every(({ storedUpTo }) => storedUpTo !== undefined);
}

async function openBrowser(): Promise<TestBrowser> {
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  return browser;
}

/** Resolves to the addresses of the menu. */
const readMenu = ({ page }: OpenedPage) =>
  page.locator('nav li a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));

/** Waits until the page has got what it asked for. */
async function settle(page: OpenedPage['page']): Promise<void> {
  await page.locator('main :is(.card, table, canvas, form, .headline, .muted, pre)').first().waitFor();
  await expect.poll(() => page.getByText(/^(Loading…|加载中…)$/).count()).toBe(0);
}

it('each page shows itself in both languages, light and dark, wide and narrow, accessibly, and asks nobody else', async () => {
  const url = await startService();
  const browser = await openBrowser();
  const first = await browser.open(url);
  await settle(first.page);
  const paths = await readMenu(first);
  expect(paths).toContain('/streams');
  for (const look of looks) {
    const { page, faults, foreign } = await browser.open(url, look);
    for (const path of paths) {
      const at = `${path} ${look.language} ${look.colorScheme} ${look.viewport.width}`;
      await page.goto(`${url}${path}`);
      await settle(page);
      const lang = await page.locator('html').getAttribute('lang');
      expect(lang, at).toBe(look.language === 'zh' ? 'zh-Hans' : 'en');
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overflow, `${at} is wider than its screen`).toBe(0);
      await expectAccessible(page);
      expect([...faults, ...foreign], at).toEqual([]);
    }
    await page.context().close();
  }
});

it('people sign in with the token, see nothing before, sign out, and no other page frames this one', async () => {
  const token = 'a-token-for-the-page';
  const url = await startService({ token });
  const { page } = await (await openBrowser()).open(`${url}/streams`);
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This is not the token.').waitFor();
  expect(await page.locator('nav').count()).toBe(0);
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'org_trees', exact: true }).waitFor();
  await page.reload();
  await page.getByRole('cell', { name: 'org_trees', exact: true }).waitFor();
  await page.getByText('Settings').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();

  // Old browsers know only the header, new ones prefer the rule of the CSP.
  const { headers } = await fetch(url);
  expect(headers.get('x-frame-options')).toBe('DENY');
  expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
  await page.goto('about:blank');
  await page.setContent(`<iframe src="${url}"></iframe>`);
  await expect.poll(() => page.frames().at(1)?.url()).toMatch(/^chrome-error:/);
});

it('a page whose console is gone says so, and says that it is old', async () => {
  const simulator = await openSimulator({ size: { objects: 1 } });
  const port = await freePort();
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({ postgres, console: { port } }));
  const service = project.start(['run']);
  await service.printed(/the service runs/);
  const { page } = await (await openBrowser()).open(`http://127.0.0.1:${port}`);
  await page.locator('.headline').waitFor();
  service.process.kill('SIGKILL');
  await page.getByText(/The console has not answered since/).waitFor({ timeout: 60_000 });
});
