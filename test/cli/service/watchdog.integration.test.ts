import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Job } from '../../../jobs/job.ts';
import { openWatchdog } from '../../../src/cli/service/watchdog.ts';
import type { Waiting } from '../../../src/queue/overdue-watch.ts';
import { openTestLedger, type TestLedger } from '../../ledger/test-ledger.ts';
import { until } from '../../queue/recorded-job.ts';
import { recordLog } from '../../support/record-log.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

const job = (name: string, needs: readonly string[] = []): Job => ({
  name,
  queue: 'live',
  schedule: { everyMs: 10_000 },
  needs,
  recorded: { stream: name, kind: 'poll' },
  run: async () => [],
});

const oneLookMs = 5_000;

describe('the watchdog', () => {
  it('tells the log, the ledger and whoever listens of a job that nothing runs, and that it is over', async () => {
    const { ledger } = opened;
    const { entries, log } = recordLog();
    const beganMs = Date.now();
    let steadyMs = 0;
    let waiting: readonly Waiting[] = [];
    const jobs = [job('works'), job('stuck'), job('paused'), job('child', ['never'])];
    await ledger.control.pause(['paused']);
    for (const { recorded } of jobs) await finish(await ledger.runs.start(recorded));
    const close = openWatchdog(
      { ledger, log, clock: () => (beganMs + steadyMs) * 1000, config: { schedule: { timezone: 'UTC' } } },
      {
        ...{ jobs, role: 'worker', noteDatabaseTime: () => undefined },
        onLook: (found) => {
          waiting = found;
          // The watchdog's time passes faster than ours, and only by its looks at jobs.
          steadyMs += oneLookMs;
        },
        parts: {
          steadyMs: () => steadyMs,
          // The job that works begins between any two looks.
          sleep: async () => {
            await finish(await ledger.runs.start({ stream: 'works', kind: 'poll' }));
            await sleep(1);
          },
        },
      },
    );
    onTestFinished(close);
    await until(() => waiting.some(({ isOverdue }) => isOverdue));
    expect(waiting.filter(({ isOverdue }) => isOverdue).map((each) => each.job)).toEqual(['stuck']);
    await until(async () => (await ledger.services.read()).some(({ overdue }) => overdue.length > 0));
    expect(await ledger.services.read()).toMatchObject([
      { pid: process.pid, role: 'worker', isAlive: true, overdue: [{ job: 'stuck' }] },
    ]);
    expect(entries).toEqual([
      expect.stringMatching(/^error: stuck is overdue: it was due at .*, and nothing runs it$/),
    ]);
    await finish(await ledger.runs.start({ stream: 'stuck', kind: 'poll' }));
    await until(() => entries.includes('info: succeeds again'));
    await close();
    expect(await ledger.services.read()).toEqual([]);
  });
});

async function finish(id: number): Promise<void> {
  await opened.ledger.runs.finish(id, { status: 'done' });
}
