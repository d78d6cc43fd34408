import { describe, expect, it } from 'vitest';
import { listJobs } from '../../jobs/index.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Tree } from '../../src/config/tree.ts';
import { streams } from '../../src/streams/index.ts';
import { onlyStreams } from '../support/stream-switches.ts';

async function jobsOf(settings: Tree) {
  const platform = { baseUrl: 'http://p', appId: 'a', secret: 's' };
  return listJobs(await loadConfig({ path: false, env: {}, overrides: { platform, ...settings } }));
}

describe('listJobs', () => {
  it('has a scan per stream, and poll, increment and sweep per selection', async () => {
    const jobs = await jobsOf({
      runtime: [{ objects: 'pump*', history: 'off' }, { history: { verify: 'on' } }],
    });
    expect(jobs.map(({ name }) => name)).toEqual([
      ...streams.filter(({ updates }) => !updates).map(({ name }) => `scan-${name}`),
      'poll-1',
      'poll-2',
      'increment-2',
      'sweep-2',
      'verification-2',
      'rollups',
      'alarm-poll',
      'alarm-increment',
      'alarm-sweep',
    ]);
  });

  it('leaves out what is switched off, and nothing waits for that', async () => {
    const jobs = await jobsOf({
      streams: { ...onlyStreams(), object_properties: { every: '5m' }, objects: 'off', persons: 'no' },
      runtime: [{ current: 'off', history: { sweep: 'off' } }],
      alarms: { current: 'off', history: { sweep: 'off' } },
    });
    expect(jobs.map(({ name, needs }) => [name, needs])).toEqual([
      ['scan-object_properties', []],
      ['increment-1', ['scan-object_properties']],
      ['rollups', []],
      ['alarm-increment', []],
    ]);
    expect(jobs[0]?.schedule).toEqual({ everyMs: 300_000 });
  });

  it('keeps rollups only where history goes to Postgres, and they are switched on', async () => {
    const influx = { url: 'http://i:8086', version: 1, database: 'd' };
    const has = async (settings: Tree) => (await jobsOf(settings)).some(({ name }) => name === 'rollups');
    expect(await has({ influx })).toBe(true);
    expect(await has({ influx, postgres: { samples: false } })).toBe(false);
    expect(await has({ rollups: false })).toBe(false);
    expect(await has({ runtime: [{ history: 'off' }] })).toBe(false);
  });

  it('puts what must be done within seconds into a queue of its own', async () => {
    const jobs = await jobsOf({ influx: { url: 'http://i:8086', version: 1, database: 'd' } });
    expect(jobs.filter(({ queue }) => queue === 'live').map(({ name }) => name)).toEqual([
      'poll-1',
      'delivery',
      'alarm-delivery',
      'alarm-poll',
    ]);
    expect(jobs.filter(({ queue }) => queue === 'bulk')).toEqual([]);
  });

  it('needs only jobs that there are, each before those that need it', async () => {
    const jobs = await jobsOf({});
    const names = jobs.map(({ name }) => name);
    for (const [index, { needs }] of jobs.entries())
      for (const need of needs) expect(names.slice(0, index)).toContain(need);
  });
});
