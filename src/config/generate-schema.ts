import { writeFileSync } from 'node:fs';
import { makeJsonSchema } from './json-schema.ts';

/** `npm run schema` writes the JSON Schema that editors use for plantsync.yaml. */
const target = new URL('../../config/plantsync.schema.json', import.meta.url);
writeFileSync(target, `${JSON.stringify(makeJsonSchema(), null, 2)}\n`);
