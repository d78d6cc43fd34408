import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const outDir = fileURLToPath(new URL('../../../dist/page', import.meta.url));
const COMPRESSED = /\.(js|css|html|svg)$/;

/** Keeps each file compressed as well, so that the console compresses nothing while it serves. */
function compressFiles(): Plugin {
  return {
    name: 'compress-files',
    closeBundle() {
      for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
        const path = join(outDir, name);
        if (!COMPRESSED.test(name) || !statSync(path).isFile()) continue;
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

/**
 * Builds the page of the console into dist/page. `PLANTSYNC_CONSOLE` names the console that `vite` alone
 * asks.
 */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/api': process.env.PLANTSYNC_CONSOLE ?? 'http://127.0.0.1:8481' } },
  plugins: [compressFiles()],
});
