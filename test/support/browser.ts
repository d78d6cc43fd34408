import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { chromiumBrowser, ensureProgram } from './servers/programs.ts';

/** Rules of accessibility that a page breaks, as axe tells them. */
export interface AxeFinding {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

export interface OpenPageOptions extends BrowserContextOptions {
  readonly language?: 'en' | 'zh';
}

/** A headless Chromium of this machine. */
export interface TestBrowser {
  readonly browser: Browser;
  /** Opens an address in a browser context of its own. The page fails a test that asks `faults` about it. */
  open(url: string, options?: OpenPageOptions): Promise<OpenedPage>;
  close(): Promise<void>;
}

export interface OpenedPage {
  readonly page: Page;
  /** Errors of the page's scripts and of the console of the browser, such as breaches of the CSP. */
  readonly faults: string[];
  /** Requests to another host than that of the page. */
  readonly foreign: string[];
}

/**
 * A root process gets no sandbox from Chromium. The pages that are opened are ours. A graphics card that is
 * emulated costs a third of the processor time of Chromium.
 */
const launchArguments = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];

/** Starts Chromium, which the tests install if it is missing. */
export async function startBrowser(): Promise<TestBrowser> {
  const executablePath = await ensureProgram(chromiumBrowser);
  const browser = await chromium.launch({ executablePath, args: launchArguments });
  return {
    browser,
    async open(url, { language = 'en', ...options } = {}) {
      const locale = language === 'zh' ? 'zh-CN' : 'en-GB';
      const context = await browser.newContext({
        locale,
        viewport: { width: 1440, height: 900 },
        ...options,
      });
      const page = await context.newPage();
      const opened: OpenedPage = { page, faults: [], foreign: [] };
      page.on('pageerror', (error) => opened.faults.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') opened.faults.push(message.text());
      });
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== new URL(url).origin) opened.foreign.push(request.url());
      });
      await page.goto(url);
      return opened;
    },
    close: () => browser.close(),
  };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Expects that axe finds nothing serious on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  // The page forbids scripts of others, so axe is evaluated by the browser and not added to the page.
  await page.evaluate(axeSource);
  const findings = await page.evaluate(
    async () =>
      (
        await (
          globalThis as unknown as { axe: { run(options: object): Promise<{ violations: AxeFinding[] }> } }
        ).axe.run({ resultTypes: ['violations'] })
      ).violations,
  );
  const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(
    serious.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ html }) => html).join('\n  ')}`),
  ).toEqual([]);
}
