import { writeFileSync } from 'node:fs';
import { renderErrors } from './render-errors.ts';

/** `npm run errors`: writes the page of error codes. */
writeFileSync(new URL('../../docs/errors.md', import.meta.url), renderErrors());
