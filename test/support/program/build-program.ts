import { execFile } from 'node:child_process';
import { copyFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Inside `node_modules`, so that the built files find the packages and no tool takes them for sources; each process has its own. */
const folder = join(root, 'node_modules', '.plantsync-test', String(process.pid));

let building: Promise<string> | undefined;

/** Builds the program as users get it, once in a process, and resolves to its path. Types are checked elsewhere. */
export function buildProgram(): Promise<string> {
  building ??= build();
  return building;
}

export function removeProgram(): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

async function build(): Promise<string> {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const options = ['-p', join(root, 'tsconfig.build.json'), '--noCheck', '--outDir', folder];
  await promisify(execFile)(process.execPath, [tsc, ...options]);
  await copyFile(join(root, 'src/platform/openapi.yaml'), join(folder, 'src/platform/openapi.yaml'));
  return join(folder, 'src/main.js');
}
