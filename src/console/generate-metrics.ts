import { writeFileSync } from 'node:fs';
import { renderMetrics } from './render-metrics.ts';

/** `npm run metrics`: writes the page of metrics. */
writeFileSync(new URL('../../docs/metrics.md', import.meta.url), renderMetrics());
