import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { ConsoleServerOptions } from '../../../src/console/console-server.ts';
import type { Database } from '../../../src/postgres/connect.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';
import { startPostgres, type TestPostgres } from '../../support/servers/postgres.ts';
import { startContextConsole } from '../start-console.ts';

const nowMs = Date.UTC(2026, 2, 1, 12);

async function openConsole(bounds: ConsoleServerOptions['bounds'], server?: TestPostgres) {
  const postgres = server && { url: server.options.url, password: server.options.password };
  const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 }, nowMs: () => nowMs }, () => ({
    ...(postgres && { postgres }),
    runtime: [{ objects: 'pump', properties: 'temp', current: false, history: { start: '10m' } }],
  }));
  const points = [[nowMs - 5_400_000, 1]] as [number, number][];
  plant.simulator.addObject({ name: 'pump', properties: [{ name: 'temp', points }] });
  const range = { from: (nowMs - 7_200_000) * 1000, to: (nowMs - 3_600_000) * 1000 };
  await fillHistory(plant.ctx, { mode: 'backfill', ...range });
  const url = `${await startContextConsole(plant.ctx, bounds)}/api/v1`;
  const ask = async (path: string) => {
    const reply = await fetch(`${url}${path}`);
    const text = await reply.text();
    return { status: reply.status, code: /"code":"([\w.]+)"/.exec(text)?.[1], text };
  };
  return { ...plant, url, ask };
}

/** Locks a table, so that all who read it wait until the lock is released. */
async function lockTable({ db }: { db: Database }, table: string) {
  const holder = await db.openSession();
  onTestFinished(() => holder.end());
  await holder.query(`begin; lock table ${table} in access exclusive mode`);
  return {
    release: () => holder.query('commit'),
    /** Counts the statements that wait for a lock, and name the table without its schema. */
    async countWaiting() {
      const { rows } = await db.query(
        `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and query like $1`,
        [`%${table.split('.').at(-1)}%`],
      );
      return rows[0]?.waiting;
    },
  };
}

it('answers in time while Postgres does not, and leaves the service its connections', async () => {
  const { ctx, ask } = await openConsole({ answerMs: 300, atOnce: 2 });
  const lock = await lockTable(ctx, `${ctx.schemas.ledger}.runs`);
  const replies = await Promise.all(Array.from({ length: 12 }, (_, k) => ask(`/runs?limit=${k + 1}`)));
  expect(replies.map(({ status, code }) => `${status} ${code}`)).toEqual(
    Array(12).fill('503 console.too_slow'),
  );
  // What nobody waits for any more takes nothing from the server.
  await expect.poll(lock.countWaiting).toBe(0);
  await lock.release();
  await expect.poll(async () => (await ask('/runs')).status).toBe(200);
});

it('answers in time while Postgres stands still, heals by itself, and opens no more sessions', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const { ctx, ask } = await openConsole({ answerMs: 1_000 }, postgres);
  const asked = ['/runs', '/streams', '/rejects', '/changes', '/drift', '/pauses', '/backfills'];
  const askAll = () => Promise.all(asked.map(async (path) => (await ask(path)).status));
  const countSessions = async (): Promise<number> => {
    const { rows } = await ctx.db.query(
      `select count(*)::int as sessions from pg_stat_activity where backend_type = 'client backend'`,
    );
    return Number(rows[0]?.sessions);
  };
  const all = asked.map(() => 200);
  await expect.poll(askAll).toEqual(all);
  const before = await countSessions();
  await postgres.pause();
  onTestFinished(() => postgres.resume());
  // What was asked a moment ago is answered from memory.
  const isOver = async () => (await askAll()).every((status) => status !== 200);
  await expect.poll(isOver).toBe(true);
  for (let turn = 0; turn < 2; turn += 1)
    for (const { status, code, text } of await Promise.all(asked.map(ask))) {
      expect(`${status} ${code}`).toBe('503 console.too_slow');
      expect(text).toMatch(/there is no answer after 1 s: a store does not answer/);
    }
  await postgres.resume();
  await expect.poll(askAll).toEqual(all);
  await expect.poll(countSessions).toBeLessThanOrEqual(before);
});

it('ends the statements of a question when its reader leaves', async () => {
  const { ctx, url } = await openConsole({});
  const lock = await lockTable(ctx, `${ctx.schemas.ledger}.runs`);
  const leaving = new AbortController();
  const asked = fetch(`${url}/runs`, { signal: leaving.signal }).catch(() => 'left');
  await expect.poll(lock.countWaiting).toBe(1);
  leaving.abort();
  expect(await asked).toBe('left');
  await expect.poll(lock.countWaiting).toBe(0);
});

it('answers a question that shares its work with one whose reader has left', async () => {
  const { ctx, url } = await openConsole({});
  const lock = await lockTable(ctx, `${ctx.schemas.data}.object_properties`);
  const leaving = new AbortController();
  const left = fetch(`${url}/explorer/series?limit=1`, { signal: leaving.signal }).catch(() => 'left');
  await expect.poll(lock.countWaiting).toBe(1);
  const asked = fetch(`${url}/explorer/series?limit=2`);
  leaving.abort();
  expect(await left).toBe('left');
  await lock.release();
  expect((await asked).status).toBe(200);
});

it('sends a bounded number of files at once, and leaves a reader that takes nothing', async () => {
  const { ctx, ask, url } = await openConsole({ filesAtOnce: 1, silentMs: 4_000 });
  await ctx.db.query(
    `insert into ${ctx.schemas.data}.samples (series_id, at, value)
     select (select min(series_id) from ${ctx.schemas.data}.samples), $1::timestamptz + k * interval '1 ms', k
     from generate_series(1, 400000) as k`,
    [new Date(nowMs - 7_000_000).toISOString()],
  );
  const path = '/explorer/export?series=pump/temp&from=2026-03-01T10:00:00Z&to=2026-03-01T11:00:00Z';
  const reader = await readNothing(url, path);
  const countOpen = async () => {
    const { rows } = await ctx.db.query(
      `select count(*)::int as open from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction'`,
    );
    return rows[0]?.open;
  };
  // Its file is open once its reading stands still. To ask before would take the turn from it.
  await expect.poll(countOpen).toBe(1);
  expect(await ask(path)).toMatchObject({ status: 503, code: 'console.busy' });
  // The reader is disconnected, and the next one gets all.
  await expect.poll(async () => (await ask(path)).text.split('\n').length, { timeout: 20_000 }).toBe(400_003);
  expect(reader.readableFlowing).toBe(false);
  expect(await countOpen()).toBe(0);
});

/** Asks for a file and reads nothing of it. */
async function readNothing(url: string, path: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET ${pathname}${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
  return socket;
}
