import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { ApiContext } from '../../src/console/api/api-context.ts';
import { type ConsoleServerOptions, startConsoleServer } from '../../src/console/console-server.ts';
import { createPrometheus } from '../../src/console/prometheus.ts';
import type { Readiness } from '../../src/console/readiness.ts';
import { STORE_KINDS } from '../../src/load/stores/store-kinds.ts';
import { silentLog } from '../../src/log.ts';
import type { SyncContext } from '../../src/sync/context.ts';

const ready: Readiness = { ready: true, dependencies: {} };
/** The folder that the setup of the tests builds the page into. */
const pageFolder = fileURLToPath(new URL('../../dist/page', import.meta.url));

/** Starts a console of a context, with its page. It ends with the test. Resolves to its address. */
export async function startContextConsole(
  ctx: SyncContext,
  bounds?: ConsoleServerOptions['bounds'],
): Promise<string> {
  const context: ApiContext = {
    ...ctx,
    kinds: STORE_KINDS,
    layers: [],
    readOverview: async () => {
      throw new Error('no test asks for the overview');
    },
    engine: { describeHealth: async () => [], trigger: async () => undefined } as never,
    redis: undefined,
    redact: (text) => text,
    version: '1.2.3',
  };
  const server = await startConsoleServer({
    settings: {
      ...{ port: 0, host: '127.0.0.1', hosts: [], readOnly: false },
      ...{ metrics: 'open', token: undefined },
    },
    version: '1.2.3',
    readiness: () => ready,
    context: () => context,
    prometheus: createPrometheus({ version: '1.2.3' }),
    pageFolder,
    log: silentLog,
    redact: (text) => text,
    clock: Date.now,
    ...(bounds && { bounds }),
  });
  onTestFinished(() => server.close());
  return server.url;
}
