import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeMetrics } from '../../src/console/render-metrics.ts';
import { ALERTS, readAlertRules, runPromtool } from '../support/servers/prometheus.ts';

const RULE_TESTS = 'test/prometheus/alerts.yml';

describe('the alert rules', () => {
  it('are rules of Prometheus, and so is the scrape file', async () => {
    expect(await runPromtool('check', 'rules', ALERTS)).toContain('SUCCESS');
    expect(await runPromtool('check', 'config', 'config/prometheus/prometheus.yml')).toContain('SUCCESS');
  });

  it('fire after their time, and are silent before it and for a service that is well', async () => {
    expect(await runPromtool('test', 'rules', RULE_TESTS)).toContain('SUCCESS');
  });

  it('each have a test, a severity, sentences, and a heading of docs/operations.md that says what to do', async () => {
    const rules = await readAlertRules();
    const { tests } = parse(await readFile(RULE_TESTS, 'utf8')) as { tests: { name: string }[] };
    const named = tests.map(({ name }) => name);
    const operations = await readFile('docs/operations.md', 'utf8');
    const headings = [...operations.matchAll(/^#### (\w+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, labels, annotations } of rules) {
      if (alert !== 'Watchdog') expect(named).toContain(alert);
      expect(['critical', 'warning', 'info', 'none']).toContain(labels.severity);
      expect(annotations).toEqual({
        summary: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\.$/),
        runbook_url: `docs/operations.md#${alert.toLowerCase()}`,
      });
    }
  });

  it('name only metrics that the service has', async () => {
    const known = describeMetrics().flatMap(({ metrics }) => metrics.map(({ name }) => name));
    const named = (await readAlertRules()).flatMap(({ expr }) => expr.match(/plantsync_\w+/g) ?? []);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});
