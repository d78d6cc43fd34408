import { writeFileSync } from 'node:fs';
import { packageFile } from '../package-root.ts';
import { SCHEMA_FILE } from './json-schema.ts';
import { makeJsonSchema } from './make-json-schema.ts';

/** `npm run schema` writes the JSON Schema that editors use for plantsync.yaml. */
writeFileSync(packageFile(SCHEMA_FILE), `${JSON.stringify(makeJsonSchema(), null, 2)}\n`);
