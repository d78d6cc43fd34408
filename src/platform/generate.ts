import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { generateContract } from './generate-contract.ts';
import { listOpenPoints, renderOpenPoints } from './open-points.ts';

// `npm run contract` runs this script. It acts as soon as it is loaded, so nothing imports it.
const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const source = pathOf('openapi.yaml');
await writeFile(pathOf('contract.ts'), await generateContract(source));
const points = listOpenPoints(await readFile(source, 'utf8'));
await writeFile(pathOf('../../docs/open-points.md'), renderOpenPoints(points));
process.stdout.write(
  `wrote src/platform/contract.ts and docs/open-points.md (${points.length} open points)\n`,
);
