import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLedger } from '../../src/ledger/ledger.ts';
import { migrate } from '../../src/ledger/run-migrations.ts';
import { silentLog } from '../../src/log.ts';
import { checkServer, openPostgres } from '../../src/postgres/connect.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import {
  answersTcp,
  freePort,
  makeFolder,
  startProcess,
  type TestServer,
} from '../support/servers/process.ts';
import { ensureProgram, pgbouncer } from '../support/servers/programs.ts';
import { createDatabase, type TestDatabase } from '../support/servers/servers.ts';

const modes = ['session', 'transaction', 'statement'] as const;

let made: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  made = await createDatabase();
  server = await startPooler(made);
});
afterAll(async () => {
  await server.close();
  await made.drop();
});

/** Starts a PgBouncer that reaches the database by the name of each pool mode. */
async function startPooler({ options }: TestDatabase): Promise<TestServer> {
  const command = await ensureProgram(pgbouncer);
  const folder = await makeFolder('pgbouncer');
  const port = await freePort();
  const to = new URL(options.url);
  const place = `host=127.0.0.1 port=${to.port} dbname=${to.pathname.slice(1)} user=${to.username} password=${options.password}`;
  const config = [
    '[databases]',
    ...modes.map((mode) => `${mode} = ${place} pool_mode=${mode}`),
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
  ];
  const path = join(folder, 'pgbouncer.ini');
  await writeFile(path, `${config.join('\n')}\n`);
  await chmod(path, 0o644);
  // PgBouncer refuses to run as root.
  const args = process.getuid?.() === 0 ? ['-u', 'nobody', path] : [path];
  const url = `postgres://anybody@127.0.0.1:${port}`;
  return startProcess({ command, args, url, folder, isReady: () => answersTcp(port) });
}

const openBy = (mode: string) => openPostgres({ url: `${server.url}/${mode}`, password: 'any' }, silentLog);

describe('PgBouncer', () => {
  it('in session mode serves everything', async () => {
    const db = openBy('session');
    await checkServer(db);
    await migrate(db, defaultSchemas);
    const { leases } = createLedger(db, defaultSchemas);
    expect((await leases.tryLock('job pooled')).isHeld).toBe(true);
    await db.close();
  });

  it.each(['transaction', 'statement'])('in %s mode is refused with the remedy', async (mode) => {
    const db = openBy(mode);
    await expect(checkServer(db)).rejects.toThrow(
      /is reached through a pooler that shares sessions .*: connect to the server itself, or set pool_mode = session/,
    );
    await db.close();
  });
});
