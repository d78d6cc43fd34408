import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { build as buildByVite } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/**
 * The folder is inside `node_modules`, so that the built files find the packages and no tool takes them for
 * sources. Each process has its own.
 */
const folder = join(root, 'node_modules', '.plantsync-test', String(process.pid));

/** Packages that are no ES modules load the modules of Node by `require`. */
const requireOfNode =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

/**
 * Builds the program of this checkout for the processes of tests. Resolves to its path. The program becomes a
 * few files that include their packages: finding and compiling the thousand files of `npm run build` doubles
 * the processor time of a start. The result of `npm run build` is tested as an image (`test/container`).
 * Types are checked elsewhere.
 */
export async function buildProgram(): Promise<string> {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: requireOfNode },
    logLevel: 'warning',
  });
  await copyFile(join(root, 'src/platform/openapi.yaml'), join(folder, 'openapi.yaml'));
  return join(folder, 'main.js');
}

/** Builds the page of the console into `dist/page`, where the program looks for it. */
export async function buildPage(): Promise<void> {
  await buildByVite({ configFile: join(root, 'src/console/page/vite.config.ts'), logLevel: 'warn' });
}

export function removeProgram(): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
