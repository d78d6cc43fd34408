import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { openRedis } from '../../support/servers/servers.ts';
import { noAlarms } from '../../support/stream-switches.ts';
import { expectHistory } from '../../support/truth/simulated-truth.ts';

const hourMs = 3_600_000;

it('a backfill is shared by workers, whichever of them or of what Redis holds is lost', async () => {
  const redis = await openRedis();
  onTestFinished(() => redis.close());
  const simulator = await openSimulator({
    size: 'tiny',
    seed: 11,
    faults: [{ kind: 'latency', operation: 'readHistory', delayMs: 100 }],
  });
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
    postgres,
    redis: { url: redis.url },
    alarms: noAlarms,
    runtime: [{ current: false }],
    limits: { rowsPerRead: 200 },
  }));
  expect(await project.run(['sync', 'objects', 'object_properties'])).toMatchObject({ code: 0 });
  // The last seconds before now are not settled yet.
  const toMs = Math.floor((Date.now() - 60_000) / hourMs) * hourMs;
  const fromMs = toMs - 48 * hourMs;
  const range = ['--from', new Date(fromMs).toISOString(), '--to', new Date(toMs).toISOString()];
  const args = ['backfill', ...range, '--on-workers'];
  expect(await project.run(args)).toMatchObject({
    code: 2,
    output: expect.stringContaining('no worker is running'),
  });

  const workers = [1, 2].map(() => project.start(['run', '--role', 'worker']));
  await Promise.all(workers.map((worker) => worker.printed(/the service runs/)));
  const countPieces = async () =>
    Number(
      (await project.databases.rows(`select count(*)::int from plantsync.runs where kind = 'piece'`))[0],
    );
  const backfill = project.start(args);
  await expect.poll(countPieces).toBeGreaterThan(3);
  workers[0]?.process.kill('SIGKILL');
  const client = new Redis(redis.url);
  await client.flushall();
  await client.quit();
  const ended = await backfill.ended;
  expect(ended, ended.output).toMatchObject({ code: 0 });
  expect(await expectHistory(project, { fromMs, toMs })).toBeGreaterThan(10_000);
  expect(await project.run(['gaps', ...range])).toMatchObject({ code: 0 });
  // Estimates are made from all pieces together: one piece alone says little.
  const [rows] = await project.databases.rows(
    `select (value ->> 'rows')::int from plantsync.knowledge where key = 'history-pace'`,
  );
  expect(rows).toBeGreaterThan(5_000);

  // A cancelled backfill takes back the pieces that no worker has begun.
  const again = project.start([...args, '--force']);
  const before = await countPieces();
  await expect.poll(countPieces).toBeGreaterThan(before);
  workers[1]?.process.kill('SIGKILL');
  await again.printed(/no worker is running: waiting for one/);
  expect(await project.run(['cancel'])).toMatchObject({ code: 0 });
  expect(await again.ended).toMatchObject({
    code: 130,
    output: expect.stringContaining('--force --on-workers'),
  });
});
