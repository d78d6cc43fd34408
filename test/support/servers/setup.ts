import type { TestProject } from 'vitest/node';
import { startInflux, startVictoria } from './influx.ts';
import { makeTemplates, type PostgresAccess, startPostgres, type Templates } from './postgres.ts';
import type { TestServer } from './process.ts';
import {
  chromiumBrowser,
  ensurePrograms,
  faketime,
  influxd,
  iptables,
  pgbouncer,
  prometheusServer,
  promtool,
  redisServer,
  victoriaMetrics,
} from './programs.ts';
import { startRedis } from './redis.ts';

/** The addresses of the servers that the integration tests of one run share. */
export interface SharedServers {
  readonly postgres: PostgresAccess;
  readonly templates: Templates;
  readonly influx: { readonly url: string };
  readonly victoria: { readonly url: string };
  readonly redis: { readonly url: string };
}

/**
 * Starts the shared servers before the integration tests, except those that the environment names
 * (PLANTSYNC_TEST_POSTGRES_URL, …). Vitest calls the returned function after the last test. Unit tests start
 * no server.
 */
export default async function startServers(project: TestProject): Promise<() => Promise<void>> {
  const started: TestServer[] = [];
  const keep = async <S extends TestServer>(starting: Promise<S>): Promise<S> => {
    const server = await starting;
    started.push(server);
    return server;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((server) => server.close()));
  };
  const named = (variable = ''): { url: string } | undefined => {
    const url = process.env[variable];
    return url === undefined || url === '' ? undefined : { url };
  };
  // All programs are installed in one step, before anything starts: two installations at once would refuse
  // each other.
  await ensurePrograms(
    [
      ...[influxd, victoriaMetrics, redisServer, prometheusServer, promtool],
      ...[iptables, pgbouncer, faketime, chromiumBrowser],
    ].filter(({ variable }) => variable === undefined || named(variable) === undefined),
  );
  const starts = await Promise.allSettled([
    named('PLANTSYNC_TEST_POSTGRES_URL') ?? keep(startPostgres()).then((server) => server.options),
    named(influxd.variable) ?? keep(startInflux()),
    named(victoriaMetrics.variable) ?? keep(startVictoria()),
    named(redisServer.variable) ?? keep(startRedis()),
  ]);
  const failed = starts.find((start) => start.status === 'rejected');
  const [postgres, influx, victoria, redis] = starts.map((start) =>
    start.status === 'fulfilled' ? start.value : undefined,
  );
  if (!postgres || !influx || !victoria || !redis) {
    await stop();
    throw failed?.reason;
  }
  const access = { url: postgres.url, password: passwordOf(postgres) };
  const { templates, drop } = await makeTemplates(access).catch(async (error) => {
    await stop();
    throw error;
  });
  project.provide('servers', {
    postgres: access,
    templates,
    influx: { url: influx.url },
    victoria: { url: victoria.url },
    redis: { url: redis.url },
  });
  // The templates are dropped first, since a server that the environment names goes on running.
  return () => drop().finally(stop);
}

function passwordOf(access: PostgresAccess): string | undefined {
  return access.password;
}
