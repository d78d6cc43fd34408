import { expect, it, onTestFinished } from 'vitest';
import { Closers } from '../../../src/cli/open/closers.ts';
import { openConnections } from '../../../src/cli/open/open-connections.ts';
import { openEngine } from '../../../src/cli/open/open-engine.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { silentLog } from '../../../src/log.ts';
import { noProgress } from '../../support/plant-context.ts';
import { recordLog } from '../../support/record-log.ts';
import { startPostgres } from '../../support/servers/servers.ts';

it('an engine in the process waits for a Postgres that went away since it was opened', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  const { entries, codes, log } = recordLog();
  const config = await loadConfig({
    path: false,
    env: {},
    overrides: {
      platform: { baseUrl: 'http://127.0.0.1:1', appId: 'app', secret: 'secret' },
      postgres: { url: server.url, password: server.options.password },
    },
  });
  const closers = new Closers(silentLog);
  onTestFinished(() => closers.close());
  const parts = await openConnections(config, { log: silentLog, closers });
  const { signal } = new AbortController();
  const ctx = { ...parts, log, progress: noProgress, signal };
  const engine = await openEngine(ctx, { jobs: [], role: 'all', redis: undefined });
  await server.kill();
  const run = engine?.run();
  await expect.poll(() => entries).toContainEqual(expect.stringMatching(/cannot start yet: PostgreSQL at/));
  expect(codes).toContain('postgres.unreachable');
  await server.start();
  await run;
});
