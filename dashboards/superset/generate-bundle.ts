import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { biViews } from '../../src/bi/views/all.ts';
import { makeBundle } from './bundle.ts';

/** Writes the bundle for Superset into config/superset, as `npm run superset-bundle`. */
const folder = fileURLToPath(new URL('../../config/superset/bundle', import.meta.url));
rmSync(folder, { recursive: true, force: true });
// Superset reads YAML 1.1, where times and words such as "off" need quotes to be texts.
for (const [path, file] of makeBundle(biViews)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), stringify(file, { lineWidth: 0, version: '1.1' }));
}
