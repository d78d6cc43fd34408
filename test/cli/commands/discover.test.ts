import { describe, expect, it } from 'vitest';
import { countRunsPerHour, renderDiscovery } from '../../../src/cli/commands/discover.ts';
import { layOut } from '../../../src/cli/output/lay-out.ts';
import type { Discovery } from '../../../src/sync/discover/discover-plant.ts';

describe('countRunsPerHour', () => {
  const nowMs = Date.UTC(2026, 2, 1, 12, 34);

  it.each([
    [{ everyMs: 10_000 }, 360],
    [{ cron: '*/10 * * * * *' }, 360],
    [{ cron: '5 * * * *' }, 1],
    [{ cron: '0 0,1 * * *' }, 2 / 24],
    [{ cron: '0 3 * * 1' }, 1 / 168],
    [{ cron: '0 0 29 2 *' }, 1 / (1461 * 24)],
  ])('counts the runs of %j', (schedule, runs) => {
    expect(countRunsPerHour(schedule, { nowMs, timezone: 'UTC' })).toBeCloseTo(runs, 9);
  });

  it('is hardly moved by a clock change', () => {
    const schedule = { cron: '0 3 * * *' };
    expect(countRunsPerHour(schedule, { nowMs, timezone: 'Europe/Berlin' })).toBeCloseTo(1 / 24, 3);
  });
});

const found: Discovery = {
  streams: [
    {
      stream: 'objects',
      source: 'stated',
      entries: 2_000,
      requestsPerRun: 20,
      runsPerHour: 1,
      requestsPerHour: 20,
    },
    {
      stream: 'networks',
      source: 'stated',
      entries: 5,
      requestsPerRun: 1,
      runsPerHour: 1 / 24,
      requestsPerHour: 1 / 24,
    },
  ],
  selections: [
    {
      selection: 'pump*/temp',
      source: 'estimated',
      series: 300,
      pollRequestsPerHour: 720,
      valuesPerHour: 108_000,
      historyRequestsPerHour: 192.4,
      newPointsPerHour: 1_800,
      pointsReadPerHour: 21_600,
      filling: { points: 1_296_000, requests: 130, seconds: 26, isGuess: true },
    },
  ],
  leftOut: { unrecorded: 1_200, unmatched: 30 },
  filling: {
    points: 1_296_000,
    requests: 130,
    seconds: 26,
    requestsPerSec: 5,
    isGuess: true,
    isLarge: false,
  },
  totals: { requestsPerHour: 932.44, pointsPerHour: 21_600, valuesPerHour: 108_000, isWhole: true },
  requestsMade: 31,
};

const render = (discovery: Parameters<typeof renderDiscovery>[0]) => layOut(renderDiscovery(discovery), 200);

describe('renderDiscovery', () => {
  it('shows a line for each stream and selection, and the load in all', () => {
    const lines = render(found);
    expect(lines[2]).toMatch(/^objects +2,000 +platform +20 +60 min +20$/);
    expect(lines[3]).toMatch(/^networks +5 +platform +1 +24 h +0.1$/);
    expect(lines[7]).toMatch(/^pump\*\/temp +300 +sample +720 +192 +1,800 +21,600$/);
    expect(lines).toContain(
      'In all about 932 requests, 21,600 points of history and 108,000 polled values per hour, once everything is stored.',
    );
    expect(lines.every((line) => line.length <= 120)).toBe(true);
  });

  it('tells the size of the first filling, warns of a large one, and counts what is left out', () => {
    const lines = render(found);
    expect(lines).toContain('First filling, since history.start: about 1.3M points in 130 requests, 26 s.');
    expect(lines).toContain(
      'The time is a guess: 5 requests/s, and 10,000 points/s into each store. A busy machine takes longer.',
    );
    expect(render({ ...found, filling: { ...found.filling, isGuess: false } })).toContain(
      'The time follows from the rate of earlier fillings.',
    );
    expect(lines).toContain(
      'properties left out: 1,200 neither persisted nor logged ("recorded: any" reads them), 30 matched by no selection',
    );
    expect(lines.join('\n')).not.toContain('WARNING');
    const large = render({ ...found, filling: { ...found.filling, isLarge: true } });
    expect(large.join('\n')).toMatch(/WARNING: .*history\.start/);
    const [selection] = found.selections;
    if (selection === undefined) throw new Error('there is a selection');
    const unknown = render({ ...found, selections: [{ ...selection, filling: undefined }] });
    expect(unknown.join('\n')).toMatch(
      /first filling[\s\S]*\?[\s\S]*without the amounts that are unknown above\./,
    );
  });

  it('leaves blank what is not known, and says why', () => {
    const unknown = {
      stream: 'users',
      source: 'unknown',
      entries: undefined,
      requestsPerRun: undefined,
      runsPerHour: 1,
      requestsPerHour: undefined,
      problem: 'listUsers failed: HTTP 403',
    } as const;
    const lines = render({
      ...found,
      streams: [unknown],
      totals: { ...found.totals, isWhole: false },
    });
    expect(lines[2]).toMatch(/^users +unknown +60 min$/);
    expect(lines).toContainEqual(
      expect.stringMatching(/polled values per hour, without the amounts that are unknown above\.$/),
    );
    expect(lines.at(-1)).toBe('users: listUsers failed: HTTP 403');
  });
});
