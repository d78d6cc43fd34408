import { writeFileSync } from 'node:fs';
import { renderBiDictionary } from './dictionary.ts';
import { biViews } from './views/all.ts';

/** Writes the dictionary of the views for BI tools, as `npm run dictionary`. */
writeFileSync(new URL('../../docs/bi-dictionary.md', import.meta.url), renderBiDictionary(biViews));
