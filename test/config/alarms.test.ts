import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';

const load = async (alarms: object) => {
  const platform = { baseUrl: 'http://p', appId: 'a', secret: 's' };
  return (await loadConfig({ path: false, env: {}, overrides: { platform, alarms } as never })).alarms;
};

describe('the section alarms', () => {
  it('has a default for everything', async () => {
    expect(await load({})).toEqual({
      current: { enabled: true, schedule: { everyMs: 10_000 } },
      history: {
        enabled: true,
        schedule: { everyMs: 60_000 },
        start: { backMs: 30 * 86_400_000 },
        lookbackMs: 3_600_000,
        settleMs: 10_000,
        sweep: { enabled: true, rangeMs: 7 * 86_400_000, schedule: { everyMs: 86_400_000 } },
      },
      followUpMs: 30 * 86_400_000,
      filter: {},
    });
  });

  it('takes one priority or several, and puts them in order', async () => {
    expect((await load({ filter: { priority: '3' } })).filter).toEqual({ priority: [3] });
    expect((await load({ filter: { priority: [5, 1, 5] } })).filter).toEqual({ priority: [1, 5] });
    for (const priority of [0, 11, [], 'high', [1, 11]])
      await expect(load({ filter: { priority } }), String(priority)).rejects.toThrow(
        /alarms\.filter\.priority/,
      );
  });

  it('is switched off in parts', async () => {
    expect(await load({ current: 'off', history: { sweep: 'no' } })).toMatchObject({
      current: { enabled: false },
      history: { enabled: true, sweep: { enabled: false } },
    });
  });
});
