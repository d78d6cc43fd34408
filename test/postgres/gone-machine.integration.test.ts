import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLedger } from '../../src/ledger/ledger.ts';
import { silentLog } from '../../src/log.ts';
import { openPostgres } from '../../src/postgres/connect.ts';
import { changeSchema } from '../../src/postgres/schema-change.ts';
import { defaultSchemas } from '../../src/postgres/schemas.ts';
import { openTestLedger, type TestLedger } from '../ledger/test-ledger.ts';
import { dropPackets } from '../support/network/dropped-packets.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

/** Starts a process that holds a job and half a table. */
async function startHolder() {
  const script = new URL('./hold-everything.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(opened.options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  onTestFinished(end);
  const printed = String(await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]));
  expect(printed).toMatch(/^plantsync /);
  return { sessionName: printed.trim(), kill: end };
}

const readSessions = async (sessionName: string) =>
  (
    await opened.db.query('select client_port as port from pg_stat_activity where application_name = $1', [
      sessionName,
    ])
  ).rows.map(({ port }) => port as number);

describe('a process whose machine is gone without a word', () => {
  it('holds up nobody for longer than a minute: neither its job nor the making of tables', async () => {
    const holder = await startHolder();
    const ports = await readSessions(holder.sessionName);
    expect(ports).toHaveLength(2);
    for (const client of ports) await dropPackets({ client, server: opened.db.port });
    await holder.kill();
    expect(await readSessions(holder.sessionName), 'the server has not heard of it').toHaveLength(2);
    const { leases } = createLedger(opened.db, defaultSchemas);
    expect(await leases.tryLock('job held')).toEqual({ isHeld: false, holder: holder.sessionName });
    // A wait for a lock fails after a minute, so the lock of the gone process has to end before.
    await changeSchema(opened.db, 'making another table', (tx) =>
      tx.query('create table made_later (id int)'),
    );
    const takes = async () => (await leases.tryLock('job held')).isHeld;
    await expect.poll(takes, { interval: 1_000 }).toBe(true);
    expect(await readSessions(holder.sessionName)).toEqual([]);
  });

  it('is named by those who have waited in vain', async () => {
    const holder = await startHolder();
    // Long enough that a busy machine answers in time who holds the lock.
    const hasty = openPostgres({ ...opened.options, lockTimeoutMs: 4_000 }, silentLog);
    onTestFinished(() => hasty.close());
    const waiting = changeSchema(hasty, 'making a table', async () => undefined);
    await expect(waiting).rejects.toThrow(
      new RegExp(
        `making a table: PostgreSQL answers: .*lock timeout after 4 s: ${holder.sessionName} \\(server process \\d+, from 127.0.0.1, idle in transaction since .*\\) holds it`,
      ),
    );
    const other = openPostgres({ ...opened.options, installation: 'other', lockTimeoutMs: 1_000 }, silentLog);
    onTestFinished(() => other.close());
    expect(await changeSchema(other, 'making a table', async () => 'of another installation')).toBe(
      'of another installation',
    );
  });
});
