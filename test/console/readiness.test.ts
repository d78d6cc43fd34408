import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createConfigRedactor } from '../../src/config/redactor.ts';
import { type Dependency, Health, type HealthOptions } from '../../src/console/readiness.ts';
import { sleepOrWake } from '../../src/sleep.ts';

function openHealth(options: Partial<HealthOptions> = {}) {
  const health = new Health({
    clock: Date.now,
    sleep: sleepOrWake,
    redact: (text) => text,
    everyMs: 1,
    limitMs: 60_000,
    ...options,
  });
  onTestFinished(() => health.close());
  health.release();
  const becomes = async (ready: boolean) => {
    while (health.report().ready !== ready) await wait(1);
    return health.report();
  };
  return { health, becomes };
}

/** Makes a dependency whose state the test sets. */
function makeDependency(needed: Dependency['needed'] = 'always') {
  const told: { problem: string | undefined } = { problem: undefined };
  const look = async () => {
    if (told.problem !== undefined) throw new Error(told.problem);
  };
  return { told, dependency: { name: 'store', needed, look } };
}

/** Answers nothing, and rejects when the signal is aborted. */
const hang = (signal: AbortSignal) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
  });

describe('the health of the service', () => {
  it('is not ready while something that is always needed is away, and says why', async () => {
    const { health, becomes } = openHealth();
    const { told, dependency } = makeDependency();
    health.watch(dependency);
    expect(health.report()).toMatchObject({ ready: false, reason: 'store is awaited' });
    await becomes(true);
    told.problem = 'the disk is full';
    expect(await becomes(false)).toMatchObject({
      reason: 'store is away',
      dependencies: { store: { state: 'down', holdsUp: true, reason: 'the disk is full' } },
    });
    const { since } = health.report().dependencies.store ?? {};
    told.problem = undefined;
    const { store } = (await becomes(true)).dependencies;
    expect(store).not.toHaveProperty('reason');
    expect(store?.lastAway).toMatchObject({ from: since, to: store?.since, reason: 'the disk is full' });
  });

  it('waits only at the start for what everything else goes on without', async () => {
    const { health, becomes } = openHealth();
    const { told, dependency } = makeDependency('at-start');
    told.problem = 'refused';
    health.watch(dependency);
    while (health.report().dependencies.store?.state !== 'down') await wait(1);
    expect(health.report().ready).toBe(false);
    told.problem = undefined;
    await becomes(true);
    told.problem = 'refused';
    while (health.report().dependencies.store?.state !== 'down') await wait(1);
    expect(health.report()).toMatchObject({ ready: true, dependencies: { store: { holdsUp: false } } });
  });

  it('is not ready until the service runs, nor when it is about to end', () => {
    const { health } = openHealth();
    expect(health.report().ready).toBe(true);
    health.hold('it cannot start yet');
    expect(health.report()).toMatchObject({ ready: false, reason: 'it cannot start yet' });
  });

  it('calls a dependency that does not answer in time down, and never looks at it twice at once', async () => {
    const { health, becomes } = openHealth({ limitMs: 5 });
    let [under, most, looks] = [0, 0, 0];
    const look = async (signal: AbortSignal) => {
      under += 1;
      looks += 1;
      most = Math.max(most, under);
      await hang(signal).finally(() => {
        under -= 1;
      });
    };
    health.watch({ name: 'store', needed: 'always', look });
    expect((await becomes(false)).dependencies.store?.state).not.toBe('up');
    while (looks < 3) await wait(1);
    expect(most).toBe(1);
    expect(health.report().dependencies.store).toMatchObject({
      reason: 'no answer within 0.005 s',
      code: 'sync.no_answer',
    });
  });

  it('ends the looks that are under way when it is closed', async () => {
    const { health } = openHealth();
    health.watch({ name: 'store', needed: 'always', look: hang });
    await health.close();
    expect(health.report().ready).toBe(false);
  });

  it('tells no secret of the configuration, however a reason spells it', async () => {
    const config = {
      platform: { secret: 'S3+canary/01=' },
      postgres: { server: { url: 'postgres://u:pass%23word@host/db', password: undefined } },
      influx: [{ token: 'T0ken' }],
    };
    const { health } = openHealth({ redact: createConfigRedactor(config) });
    const secrets = 'S3+canary/01= S3%2Bcanary%2F01%3D pass#word pass%23word T0ken';
    health.hold(secrets);
    expect(health.report().reason).toBe('*** *** *** *** ***');
  });

  it('is not ready while a job is overdue, however well its dependencies are', async () => {
    const { health, becomes } = openHealth();
    health.watch(makeDependency().dependency);
    await becomes(true);
    health.noteOverdue(['poll-1 is overdue by 3 min: nothing runs it']);
    expect(health.report()).toMatchObject({
      ready: false,
      reason: 'poll-1 is overdue by 3 min: nothing runs it',
      overdue: ['poll-1 is overdue by 3 min: nothing runs it'],
    });
    health.noteOverdue([]);
    expect(health.report()).toEqual({ ready: true, dependencies: expect.any(Object) });
  });
});
