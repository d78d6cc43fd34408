import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { pageDocuments } from './page-documents.ts';

const folder = fileURLToPath(new URL('../../../dist/page', import.meta.url));
/** Each build has a folder of its own: several may run at once, while a console serves the page. */
const ownFolder = `${folder}-${process.pid}`;
const COMPRESSED = /\.(js|css|html|svg)$/;
/** Documents name the other files, so they come last. */
const DOCUMENT = /\.html/;

/** Compresses the built files, and brings them into their place. */
function placePage(): Plugin {
  return {
    name: 'place-page',
    apply: 'build',
    closeBundle() {
      compressFiles();
      replacePage();
      rmSync(ownFolder, { recursive: true, force: true });
    },
  };
}

/** Keeps each file compressed as well, so that the console compresses nothing while it serves. */
function compressFiles(): void {
  for (const name of listFiles(ownFolder)) {
    if (!COMPRESSED.test(name)) continue;
    const path = join(ownFolder, name);
    const content = readFileSync(path);
    writeFileSync(`${path}.br`, brotliCompressSync(content));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}

/** Replaces the page file by file, so that it is whole at each moment. */
function replacePage(): void {
  const names = listFiles(ownFolder).sort((a, b) => Number(DOCUMENT.test(a)) - Number(DOCUMENT.test(b)));
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    renameSync(join(ownFolder, name), join(folder, name));
  }
  for (const name of listFiles(folder))
    if (!names.includes(name)) rmSync(join(folder, name), { force: true });
}

/** Returns the paths of all files below a folder. */
function listFiles(of: string): string[] {
  return readdirSync(of, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(of.length + 1));
}

/**
 * Builds the page of the console into dist/page. `PLANTSYNC_CONSOLE` names the console that `vite` alone
 * asks.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: ownFolder,
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The browser shows nothing before it has each style that the document names.
    cssCodeSplit: false,
  },
  server: { proxy: { '/api': process.env.PLANTSYNC_CONSOLE ?? 'http://127.0.0.1:8481' } },
  plugins: [pageDocuments(), placePage()],
});
