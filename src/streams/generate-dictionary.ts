import { writeFileSync } from 'node:fs';
import { renderDictionary } from './dictionary.ts';
import { documented } from './index.ts';

/** Writes the data dictionary, as `npm run dictionary`. */
writeFileSync(new URL('../../docs/data-dictionary.md', import.meta.url), renderDictionary(documented));
