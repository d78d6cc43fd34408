import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeMetrics, renderMetrics } from '../../src/console/render-metrics.ts';

const metrics = describeMetrics().flatMap((section) => section.metrics);

describe('the metrics', () => {
  it('are described in docs/metrics.md as npm run metrics writes it', () => {
    expect(readFileSync('docs/metrics.md', 'utf8')).toBe(renderMetrics());
  });

  it('have names of Prometheus: lower case, base units, and _total exactly on counters', () => {
    for (const { name, type, labels } of metrics) {
      expect(name).toMatch(/^plantsync_[a-z][a-z0-9_]*$/);
      expect(name).not.toMatch(/_(ms|millis|minutes|hours|days|kb|percent)(_|$)/);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect([
        name,
        labels.filter((label) => ['object', 'property', 'series', 'person'].includes(label)),
      ]).toEqual([name, []]);
    }
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
  });
});
