import { writeFileSync } from 'node:fs';
import { renderDictionary } from './dictionary.ts';
import { documented } from './index.ts';

/** `npm run dictionary`: writes the data dictionary. */
writeFileSync(new URL('../../docs/data-dictionary.md', import.meta.url), renderDictionary(documented));
