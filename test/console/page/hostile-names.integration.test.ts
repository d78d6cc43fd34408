import { expect, it, onTestFinished } from 'vitest';
import { startBrowser } from '../../support/browser.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';
import { startContextConsole } from '../start-console.ts';

const MARKUP = '<img src=x onerror=alert(1)>';
/** Markup, codes of a terminal, marks that turn the direction of text, and a name without any blank. */
const names = [MARKUP, '\u001b[31mred\u001b[0m', 'a\u202egnp.b', 'x'.repeat(400)];

it('names of the platform are text on every page, whatever they hold', async () => {
  const { ctx } = await openSimulatedPlant({ size: 'tiny' }, () => ({ runtime: [{}] }));
  const series = await ctx.ledger.series.register(
    names.map((name) => ({ object: name, property: name, primitiveType: 'Double' })),
  );
  const range = { from: ctx.clock() - 3_600e6, to: ctx.clock() - 60e6 };
  for (const { id } of series)
    await ctx.ledger.coverage.add({
      ...{ store: ctx.postgresStore.id, stream: 'history', seriesIds: [id], range },
    });
  for (const name of names) {
    const run = await ctx.ledger.runs.start({ stream: name, kind: name });
    await ctx.ledger.runs.finish(run, {
      status: 'failed',
      error: name,
      summary: { problems: [name], notes: [] },
    });
  }
  const url = await startContextConsole(ctx);
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const shown = names.map((name) => `series=${encodeURIComponent(`${name.replaceAll('/', '~1')}/${name}`)}`);
  const paths = [
    ...['/runs', `/runs?stream=${encodeURIComponent(MARKUP)}`, '/coverage', '/drift', '/changes', '/rejects'],
    ...['/backfills', '/alarms', '/streams', `/explorer?${shown.join('&')}`],
  ];
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const { page, faults, foreign } = await browser.open(`${url}/runs`, { viewport });
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    for (const path of paths) {
      await page.goto(`${url}${path}`);
      await page.locator('h1').first().waitFor();
      await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
      expect(await page.locator('img[onerror]').count(), path).toBe(0);
      const wider = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(wider, `${path} is wider than ${viewport.width}`).toBe(0);
      expect({ dialogs, faults, foreign }, path).toEqual({ dialogs: [], faults: [], foreign: [] });
    }
    await page.goto(`${url}/runs`);
    await expect.poll(() => page.getByText(MARKUP).count()).toBeGreaterThan(0);
    await page.context().close();
  }
});
