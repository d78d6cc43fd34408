import { readFileSync, writeFileSync } from 'node:fs';
import { putQuestions, readQuestions } from './questions.ts';

/** Writes the questions into docs/bi.md, as `npm run questions`. */
const document = new URL('../../docs/bi.md', import.meta.url);
writeFileSync(document, putQuestions(readFileSync(document, 'utf8'), readQuestions()));
