/** Writes the dashboards of Grafana for `npm run dashboards`. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dashboards } from './all-dashboards.ts';

const FOLDER = new URL('../config/grafana/dashboards/', import.meta.url);

mkdirSync(FOLDER, { recursive: true });
for (const file of readdirSync(FOLDER))
  if (!Object.hasOwn(dashboards, file.replace(/\.json$/, ''))) rmSync(new URL(file, FOLDER));
for (const [name, dashboard] of Object.entries(dashboards))
  writeFileSync(new URL(`${name}.json`, FOLDER), `${JSON.stringify(dashboard, null, 2)}\n`);
