import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLedger } from '../../src/ledger/ledger.ts';
import { migrate } from '../../src/ledger/run-migrations.ts';
import { silentLog } from '../../src/log.ts';
import { checkConnections, checkServer, openPostgres } from '../../src/postgres/connect.ts';
import { openPulse } from '../../src/postgres/pulse.ts';
import { RoomWatch } from '../../src/postgres/room.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import {
  answersTcp,
  freePort,
  makeFolder,
  startProcess,
  type TestServer,
} from '../support/servers/process.ts';
import { ensureProgram, pgbouncer } from '../support/servers/programs.ts';
import { createDatabase, type TestDatabase } from '../support/servers/servers.ts';
import { makeStubPlant, smallPlant } from '../support/stub/stub-plant.ts';

const modes = ['session', 'transaction', 'statement'] as const;
/** Databases of the pooler with few connections, in session mode. */
const sizes = [1, 2, 3] as const;

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
    ...sizes.map((size) => `session${size} = ${place} pool_mode=session pool_size=${size}`),
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

const openBy = (mode: string, room?: RoomWatch) =>
  openPostgres(
    { url: `${server.url}/${mode}`, password: 'any', maxConnections: 8, connectTimeoutMs: 2_000, room },
    silentLog,
  );

/** Asks the server itself, past the pooler. */
async function breakAll(sql: string): Promise<void> {
  const admin = openPostgres(
    { ...made.options, url: made.options.url.replace(`/${made.name}`, '/postgres') },
    silentLog,
  );
  await admin.query(sql);
  await admin.close();
}

describe('PgBouncer', () => {
  it('in session mode serves everything', async () => {
    const db = openBy('session');
    await checkServer(db);
    await migrate(db, defaultSchemas);
    const { leases } = createLedger(db, defaultSchemas);
    expect((await leases.tryLock('job pooled')).isHeld).toBe(true);
    await db.close();
  });

  it('with three connections in session mode serves a service with a larger pool, also when all of them broke', async () => {
    const room = new RoomWatch();
    const looked = openBy('session3', room);
    const pulse = openPulse(looked);
    const db = openBy('session3', room);
    const { leases } = createLedger(db, defaultSchemas);
    onTestFinished(async () => {
      await pulse.close();
      await looked.close();
      await db.close();
    });
    const feel = () => pulse.feel(new AbortController().signal);
    await feel();
    await checkServer(db);
    const work = (id: number) =>
      leases.work(() => inTransaction(db, (tx) => tx.query('insert into pooled values ($1)', [id])));
    await migrate(db, defaultSchemas);
    await db.query('create table if not exists pooled (id int)');
    const ids = Array.from({ length: 40 }, (_, id) => id);
    await Promise.all(ids.map(work));
    // Everything connects again at once, and the pool must leave room for the lease and the look.
    await breakAll(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = '${made.name}'`,
    );
    const again = ids.map(async (id) => {
      await expect
        .poll(() =>
          work(100 + id).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
    });
    await expect
      .poll(() =>
        feel().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await Promise.all(again);
    expect((await db.query('select count(distinct id)::int as n from pooled')).rows).toEqual([{ n: 80 }]);
  });

  it('with three connections in session mode lets commands do all their work, which never holds one and waits for another', async () => {
    const points = [1, 2, 3].map((k) => [new Date(Date.now() - k * 3_600_000).toISOString(), k] as const);
    const plant = await makeStubPlant(smallPlant(points), ({ influx }) => ({
      postgres: {
        url: `${server.url}/session3`,
        password: 'any',
        schema: 'p',
        ledgerSchema: 'l',
        biSchema: 'v',
      },
      influx,
      runtime: [{ objects: '*', properties: '*', current: { every: '1s' }, history: { start: '1d' } }],
    }));
    for (const command of ['sync', 'verify --from -1d --repair']) {
      const { code, output } = await plant.run(command.split(' '));
      expect([command, code < 2, output]).toEqual([command, true, output]);
    }
  });

  it('with one or two connections in session mode is refused at the start with what is needed', async () => {
    const start = async (size: number) => {
      const db = openBy(`session${size}`);
      onTestFinished(() => db.close());
      await checkServer(db);
      await checkConnections(db);
    };
    for (const refused of await Promise.allSettled([start(1), start(2)]))
      expect(refused).toMatchObject({
        reason: {
          code: 'postgres.no_free_connection',
          action: 'stop',
          message: expect.stringMatching(/a process needs 3 at once .* Raise pool_size/),
        },
      });
  });

  it.each(['transaction', 'statement'])('in %s mode is refused with the remedy', async (mode) => {
    const db = openBy(mode);
    await expect(checkServer(db)).rejects.toThrow(
      /is reached through a pooler that shares sessions .*: connect to the server itself, or set pool_mode = session/,
    );
    await db.close();
  });
});
