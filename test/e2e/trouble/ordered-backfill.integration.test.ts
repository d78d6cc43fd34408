import { expect, it, onTestFinished } from 'vitest';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { freePort } from '../../support/servers/process.ts';
import { openRedis } from '../../support/servers/servers.ts';
import { noAlarms } from '../../support/stream-switches.ts';
import { expectHistory } from '../../support/truth/simulated-truth.ts';

const hourMs = 3_600_000;

it('a backfill that the console ordered ends, although each of two services is killed meanwhile', async () => {
  const redis = await openRedis();
  onTestFinished(() => redis.close());
  const simulator = await openSimulator({
    size: 'tiny',
    seed: 12,
    faults: [{ kind: 'latency', operation: 'readHistory', delayMs: 100 }],
  });
  const ports = [await freePort(), await freePort()] as const;
  const project = await makeSimulatedProject(simulator, ({ postgres, influx }) => ({
    ...{ postgres, influx },
    redis: { url: redis.url },
    alarms: noAlarms,
    runtime: [{ current: false }],
    limits: { rowsPerRead: 200 },
  }));
  expect(await project.run(['sync', 'objects', 'object_properties'])).toMatchObject({ code: 0 });
  const start = async (port: number) => {
    const service = project.start(['run'], { PLANTSYNC_CONSOLE__PORT: String(port) });
    await service.printed(/the service runs/);
    return service;
  };
  const countPieces = async () => {
    const [pieces] = await project.databases.rows(
      `select count(*)::int from plantsync.runs where kind = 'piece' and finished_at is not null`,
    );
    return Number(pieces);
  };
  /** Waits until some more pieces have ended. */
  const goesOn = async () => {
    const before = await countPieces();
    await expect.poll(countPieces).toBeGreaterThan(before + 2);
  };
  const services = [await start(ports[0]), await start(ports[1])] as const;

  // The last seconds before now are not settled yet.
  const toMs = Math.floor((Date.now() - 60_000) / hourMs) * hourMs;
  const fromMs = toMs - 36 * hourMs;
  const ask = async (port: number, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' };
    const sent = body && { method: 'POST', headers, body: JSON.stringify(body) };
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, sent);
    return (await reply.json()) as { id: number; status: string };
  };
  const range = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  const { id } = await ask(ports[0], '/backfills', range);
  const statusAt = async (port: number) => (await ask(port, `/backfills/${id}`)).status;

  // One of the two has taken the order, and both of them read its pieces.
  await goesOn();
  services[0].process.kill('SIGKILL');
  await goesOn();
  expect(await statusAt(ports[1])).toBe('running');
  await start(ports[0]);
  services[1].process.kill('SIGKILL');
  await goesOn();
  await expect.poll(() => statusAt(ports[0])).toBe('done');
  expect(await expectHistory(project, { fromMs, toMs })).toBeGreaterThan(10_000);
  const asked = ['gaps', '--from', range.from, '--to', range.to];
  expect(await project.run(asked)).toMatchObject({ code: 0 });
});
