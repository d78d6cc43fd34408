import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/**
 * The folder is inside `node_modules`, so that the built files find the packages and no tool takes them for
 * sources. Each process has its own.
 */
const folder = join(root, 'node_modules', '.plantsync-test', String(process.pid));

/** Packages that are no ES modules ask for those of Node by `require`. */
const requireOfNode =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

/**
 * Builds the program of this checkout for the processes of tests, and resolves to its path. It becomes a few files that hold their packages
 * too: a process that has to find and compile the thousand files of `npm run build` takes twice the processor time to start. What
 * `npm run build` makes is tried as an image (`test/container`). Types are checked elsewhere.
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
    keepNames: true,
    banner: { js: requireOfNode },
    logLevel: 'warning',
  });
  await copyFile(join(root, 'src/platform/openapi.yaml'), join(folder, 'openapi.yaml'));
  return join(folder, 'main.js');
}

export function removeProgram(): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
