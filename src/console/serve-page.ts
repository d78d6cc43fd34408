import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** What browsers get if the page is not built. */
const NOT_BUILT = 'The page of the console is not built: run "npm run page" in the folder of plantsync.\n';
/** A path whose last part has an ending is a file, and not one of the pages. */
const FILE_PATH = /\.\w+$/;
/** A path below the API that is no operation. Scripts must not take the document for an answer. */
const API_PATH = /^\/*api(\/|$)/i;

/**
 * Serves the built page, which finds its way by the path. `/coverage` gets `coverage.html`, which names what
 * that page needs. A path without a document of its own gets `index.html`.
 */
export async function servePage(app: FastifyInstance, folder: string): Promise<void> {
  const open = { config: { access: 'open' } } as const;
  if (!existsSync(join(folder, 'index.html'))) {
    app.get('/', open, (_request, reply) => reply.code(503).type('text/plain').send(NOT_BUILT));
    return;
  }
  const documents = new Set(readdirSync(folder).filter((name) => name.endsWith('.html')));
  await app.register(files, { root: folder, serve: false, preCompressed: true, cacheControl: false });
  app.get<{ Params: { '*': string } }>('/assets/*', open, (request, reply) => {
    // The name of an asset changes with its content.
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return reply.sendFile(`assets/${request.params['*']}`);
  });
  app.get<{ Params: { '*': string } }>('/*', open, (request, reply) => {
    const path = request.params['*'];
    if (API_PATH.test(path)) return reply.callNotFound();
    if (FILE_PATH.test(path)) return reply.sendFile(path);
    const document = `${path}.html`;
    return reply.sendFile(documents.has(document) ? document : 'index.html');
  });
}
