import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { startEmbedded } from '../../src/postgres/embedded/start-embedded.ts';

/**
 * Runs a measurement on the server whose URL is the first argument of the command line. Without an argument
 * the measurement runs on an embedded server, which is removed afterwards.
 */
export async function withBenchDatabase(measure: (db: Database) => Promise<void>): Promise<void> {
  const [url] = process.argv.slice(2);
  if (url !== undefined) return measureOn({ url }, measure);
  const dataDir = await mkdtemp(join(tmpdir(), 'plantsync-bench-'));
  const server = await startEmbedded({ dataDir, log: silentLog });
  try {
    await measureOn({ url: server.url, password: server.password }, measure);
  } finally {
    await server.stop();
    await rm(server.home, { recursive: true, force: true });
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measureOn(
  options: { url: string; password?: string },
  measure: (db: Database) => Promise<void>,
): Promise<void> {
  const db = openPostgres(options, silentLog);
  try {
    await measure(db);
  } finally {
    await db.close();
  }
}

/** Does the work, and prints its name, its seconds, and the amount per second. */
export async function timed(name: string, amount: number, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${name}: ${seconds.toFixed(2)} s, ${Math.round(amount / seconds).toLocaleString('en')} per second`,
  );
}
