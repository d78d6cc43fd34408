import { basename, dirname } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

type Bundle = Rolldown.OutputBundle;
const DOCUMENT = 'index.html';

/**
 * Writes a document for each page that is loaded apart. It names the scripts of the page. The browser then
 * fetches them together with those of the frame, and not after those have run.
 *
 * @see https://html.spec.whatwg.org/multipage/links.html#link-type-modulepreload
 */
export function pageDocuments(): Plugin {
  return {
    name: 'page-documents',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const frame = bundle[DOCUMENT];
      if (frame?.type !== 'asset') throw new Error(`the build has no ${DOCUMENT}`);
      for (const page of listPages(bundle)) {
        const source = addLinks(String(frame.source), scriptsOf(page, bundle));
        this.emitFile({ type: 'asset', fileName: `${page.name}.html`, source });
      }
    },
  };
}

/** Returns the chunks that are pages: `list.ts` imports them when somebody opens them. */
function listPages(bundle: Bundle): readonly Rolldown.OutputChunk[] {
  return Object.values(bundle).filter(
    (file) =>
      file.type === 'chunk' &&
      file.isDynamicEntry &&
      basename(dirname(file.facadeModuleId ?? '')) === 'pages',
  ) as Rolldown.OutputChunk[];
}

/** Returns the scripts that a page needs before it is seen. */
function scriptsOf(chunk: Rolldown.OutputChunk, bundle: Bundle): readonly string[] {
  const needed = chunk.imports.flatMap((name) => {
    const other = bundle[name];
    return other?.type === 'chunk' ? scriptsOf(other, bundle) : [];
  });
  return [...new Set([chunk.fileName, ...needed])];
}

/** Adds links to scripts of which the document does not tell yet. Those of the frame come before them. */
function addLinks(document: string, scripts: readonly string[]): string {
  const links = scripts
    .filter((script) => !document.includes(`/${script}"`))
    .map((script) => `    <link rel="modulepreload" fetchpriority="low" crossorigin href="/${script}">\n`);
  return document.replace('  </head>', `${links.join('')}  </head>`);
}
