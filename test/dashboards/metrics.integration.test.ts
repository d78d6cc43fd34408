import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { describeMetrics } from '../../src/console/render-metrics.ts';
import { makeFolder } from '../support/servers/process.ts';
import { runPromtool } from '../support/servers/prometheus.ts';
import { readDashboards } from './committed-dashboards.ts';
import { expandPromql } from './grafana-macros.ts';

/** The expressions in PromQL of all dashboards. */
const expressions = [...readDashboards().values()]
  .flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets))
  .flatMap(({ expr }) => (expr === undefined ? [] : [expandPromql(expr)]));

it('promtool reads every query in PromQL', async () => {
  expect(expressions.length).toBeGreaterThan(20);
  const folder = await makeFolder('promql');
  const rules = expressions.map((expr, k) => ({ record: `dashboards:query_${k}`, expr }));
  const file = join(folder, 'rules.yml');
  await writeFile(file, stringify({ groups: [{ name: 'dashboards', rules }] }));
  expect(await runPromtool('check', 'rules', file)).toContain(`${rules.length} rules found`);
});

it('plantsync exports every metric that a query names, with the labels that it groups by', () => {
  const metrics = new Map(
    describeMetrics().flatMap(({ metrics: made }) => made.map((metric) => [metric.name, metric] as const)),
  );
  for (const expr of expressions)
    for (const [name] of expr.matchAll(/\bplantsync_\w+/g)) {
      const metric = metrics.get(name.replace(/_bucket$/, ''));
      expect(metric, name).toBeDefined();
      const labels = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      for (const label of labels.filter((one) => one !== 'le'))
        expect(metric?.labels, `${name}: ${label}`).toContain(label);
    }
});
