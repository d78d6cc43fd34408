import { isDeepStrictEqual } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { JournalEntry } from '../../../src/simulator/journal.ts';
import { until } from '../../queue/recorded-job.ts';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { openRedis } from '../../support/servers/servers.ts';
import { noAlarms, onlyStreams } from '../../support/stream-switches.ts';
import { expectHistory } from '../../support/truth/simulated-truth.ts';

const periodMs = 1_000;
const latencyMs = 1_300;

interface HistoryBody {
  readonly select: readonly string[];
  readonly where: { readonly and: { readonly timestamp: { readonly ge: string; readonly lt: string } } };
}

/**
 * Tells whether two requests read the same: a page of a list, the same current values, or a series over a
 * common time.
 */
function readSame(a: JournalEntry, b: JournalEntry): boolean {
  if (a.operation !== b.operation || a.path !== b.path) return false;
  if (a.operation !== 'readHistory') return isDeepStrictEqual([a.query, a.body], [b.query, b.body]);
  const [one, other] = [a.body as HistoryBody, b.body as HistoryBody];
  const [within, against] = [one.where.and.timestamp, other.where.and.timestamp];
  return (
    one.select.some((series) => other.select.includes(series)) &&
    within.ge < against.lt &&
    against.ge < within.lt
  );
}

/** Opens a simulated plant that notes requests for data that is being read already. */
async function openWatchedPlant() {
  const readTwice: string[] = [];
  const simulator = await openSimulator({
    size: 'tiny',
    seed: 13,
    onRequest: () => {
      const entry = simulator.journal().at(-1);
      // A request without a status is not answered yet.
      const others = simulator.journal().filter((other) => other !== entry && other.status === 0);
      if (entry !== undefined && others.some((other) => readSame(entry, other)))
        readTwice.push(`${entry.operation} ${JSON.stringify(entry.body)}`);
    },
  });
  return { simulator, readTwice };
}

it('two processes neither crowd a slow platform, nor burst when it is fast again, nor hang when it is silent', async () => {
  const redis = await openRedis();
  onTestFinished(() => redis.close());
  const { simulator, readTwice } = await openWatchedPlant();
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
    platform: { requestTimeout: '2s' },
    postgres,
    redis: { url: redis.url },
    alarms: noAlarms,
    streams: { ...onlyStreams(), objects: { every: '1s' }, object_properties: { every: '1h' } },
    runtime: [
      {
        current: { every: '1s' },
        history: { start: '5m', every: '1s', settle: '2s', lookback: '20s', sweep: false },
      },
    ],
  }));
  const services = [1, 2].map(() => project.start(['run']));
  await Promise.all(services.map((service) => service.printed(/the service runs/)));
  const { rows } = project.databases;
  const countRuns = async (what: string) =>
    Number((await rows(`select count(*)::int from plantsync.runs where status = 'done' and ${what}`))[0]);
  const polls = () => countRuns("stream = 'current'");
  const increments = () => countRuns("stream = 'history'");
  const pollsAfterSkipped = () => countRuns("(summary ->> 'skippedPolls')::int > 0");
  await until(async () => (await polls()) > 0 && (await increments()) > 0);

  simulator.setFaults([{ kind: 'latency', delayMs: latencyMs }]);
  const incrementsBefore = await increments();
  await until(async () => (await pollsAfterSkipped()) >= 2 && (await increments()) > incrementsBefore);
  const { skippedPolls } = JSON.parse((await project.run(['status', '--json'])).stdout);
  expect(skippedPolls).toMatchObject([{ skipped: expect.any(Number) }]);

  simulator.setFaults([]);
  const fastSinceMs = Date.now();
  const slowPolls = await polls();
  await until(async () => (await polls()) >= slowPolls + 3);
  const fastPolls = (await polls()) - slowPolls;
  // One poll may have been running, and one may be due at once.
  expect(fastPolls).toBeLessThanOrEqual((Date.now() - fastSinceMs) / periodMs + 2);
  expect(readTwice).toEqual([]);

  simulator.setFaults([{ kind: 'silent', operation: 'readHistory', times: 1 }]);
  const givenUp = /readHistory \(POST \/openapi\/\S+\) at \S+ was given up: no complete reply within 2 s/;
  await Promise.any(services.map((service) => service.printed(givenUp)));
  const failedAt = await increments();
  await until(async () => (await increments()) > failedAt + 1);
  const toMs = Math.floor(Date.now() / 1000) * 1000 - 8_000;
  expect(await expectHistory(project, { fromMs: toMs - 240_000, toMs })).toBeGreaterThan(100);
  for (const { process, ended } of services) {
    process.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  }
});
