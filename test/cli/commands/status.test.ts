import { describe, expect, it } from 'vitest';
import { nextRunOf } from '../../../jobs/next-run-of-stream.ts';
import { renderStatus } from '../../../src/cli/commands/status/status.ts';
import { renderStreams } from '../../../src/cli/commands/status/stream-table.ts';
import { layOut } from '../../../src/cli/output/lay-out.ts';
import type { RunRecord } from '../../../src/ledger/runs.ts';
import type { Status } from '../../../src/sync/status/read-status.ts';
import type { StreamStatus } from '../../../src/sync/status/stream-status.ts';

const MINUTE = 60e6;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const now = Date.UTC(2024, 4, 1, 12, 3) * 1000;
const at = { now, timezone: 'UTC' };

const runOf = (stream: string, more: Partial<RunRecord> = {}): RunRecord => ({
  id: 1,
  stream,
  kind: 'scan',
  startedAt: now - 3 * MINUTE,
  finishedAt: now - 2 * MINUTE,
  status: 'done',
  summary: {},
  error: undefined,
  ...more,
});

const streamOf = (stream: string, more: Partial<StreamStatus> = {}): StreamStatus => ({
  stream,
  completes: undefined,
  enabled: true,
  schedule: { everyMs: 3_600_000 },
  last: runOf(stream),
  goodAt: now - 3 * MINUTE,
  rows: { live: 1234, deleted: 5, added: 0 },
  recent: { updated: 0, deleted: 0, restored: 0 },
  rejects: 0,
  drift: 0,
  ...more,
});

const neverRun: Partial<StreamStatus> = {
  last: undefined,
  goodAt: undefined,
  rows: undefined,
  recent: undefined,
  rejects: undefined,
  drift: undefined,
};

const statusOf = (more: Partial<Status> = {}): Status => ({
  at: now,
  streams: [],
  runs: [],
  backfills: [],
  services: [],
  pauses: [],
  changes: {},
  drift: [],
  rejects: {},
  outbox: {},
  alarms: undefined,
  lostPolledValues: 0,
  skippedPolls: [],
  rollups: undefined,
  history: {
    series: 0,
    unmatched: [],
    nothing: undefined,
    empty: [],
    leftOut: { unrecorded: 0, unmatched: 0 },
    behindSec: 0,
    missingHours: {},
  },
  ...more,
});

/** Returns the cells of a line, by the head of their column. */
function cellsOf(stream: StreamStatus): Record<string, string> {
  const [head = '', rule = '', line = ''] = layOut(renderStreams([stream], at), 200);
  const cells: Record<string, string> = {};
  for (const { index, 0: dashes } of rule.matchAll(/─+/g))
    cells[head.slice(index, index + dashes.length).trim()] = line.slice(index, index + dashes.length).trim();
  return cells;
}

describe('the table of streams', () => {
  it('shows the last run, the rows, the lag and what comes next', () => {
    const recent = { updated: 7, deleted: 2, restored: 1 };
    const rows = { live: 2_000_000, deleted: 5, added: 1_500_000 };
    expect(cellsOf(streamOf('objects', { recent, rows, rejects: 4, drift: 2 }))).toEqual({
      stream: 'objects',
      'begun (UTC)': '05-01 12:00',
      took: '60 s',
      outcome: 'done',
      rows: '2,000,000',
      deleted: '5',
      '24 h': '+1.5M ~7 -2',
      lag: '3 min',
      next: '57 min',
      rejects: '4',
      drift: '2',
    });
  });

  it('leaves blank what is not known, and writes zero where it is', () => {
    const cells = cellsOf(streamOf('persons', neverRun));
    expect(cells).toEqual({
      ...Object.fromEntries(Object.keys(cells).map((head) => [head, ''])),
      stream: 'persons',
      next: 'due',
    });
    expect(cellsOf(streamOf('persons'))).toMatchObject({ '24 h': '0', rejects: '0', drift: '0' });
  });

  it.each([120, 80, 40])('stays within %d columns, also in the worst case', (columns) => {
    const worst = streamOf('object_properties', {
      last: runOf('object_properties', { status: 'interrupted', startedAt: now - 99 * MINUTE }),
      rows: { live: 2_000_000, deleted: 200_000, added: 999_900 },
      recent: { updated: 999_900, deleted: 999, restored: 0 },
      rejects: 10_000,
      drift: 1_000,
      goodAt: now - 47 * HOUR,
    });
    const lines = layOut(renderStreams([worst, streamOf('org_node_persons', neverRun)], at), columns);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines[0]).toMatch(columns > 40 ? /^stream .*outcome/ : /^stream/);
  });

  it('shows the day alone where the year would be missed', () => {
    const old = runOf('users', { startedAt: now - 400 * DAY, finishedAt: undefined, status: 'lost' });
    expect(cellsOf(streamOf('users', { last: old, goodAt: now - 400 * DAY }))).toMatchObject({
      'begun (UTC)': '2023-03-28',
      took: '',
      outcome: 'lost',
      lag: '400 d',
      next: 'due',
    });
  });
});

describe('the next run', () => {
  it('is the next time of the schedule after the last good run', () => {
    const cron = { cron: '0 6 * * *' };
    const goodAt = now - 3 * HOUR;
    expect(nextRunOf(streamOf('persons', { goodAt }), at)).toBe(now);
    expect(nextRunOf(streamOf('persons', { goodAt: now - 3 * MINUTE }), at)).toBe(now + 57 * MINUTE);
    expect(nextRunOf(streamOf('persons', { schedule: cron, goodAt }), at)).toBe(
      Date.UTC(2024, 4, 2, 6) * 1000,
    );
    const zone = { now, timezone: 'Asia/Shanghai' };
    expect(nextRunOf(streamOf('persons', { schedule: cron, goodAt }), zone)).toBe(
      Date.UTC(2024, 4, 1, 22) * 1000,
    );
  });

  it('is at once for what never ran, unless it has a time of day', () => {
    expect(nextRunOf(streamOf('persons', neverRun), at)).toBe(now);
    const cron = { cron: '0 6 * * *' };
    expect(nextRunOf(streamOf('persons', { ...neverRun, schedule: cron }), at)).toBeGreaterThan(now);
  });

  it('is after the run that is under way', () => {
    const last = runOf('persons', { status: 'running', finishedAt: undefined });
    expect(nextRunOf(streamOf('persons', { last, goodAt: now - DAY }), at)).toBe(now + 57 * MINUTE);
  });

  it('is never for what is switched off', () => {
    expect(nextRunOf(streamOf('persons', { enabled: false }), at)).toBeUndefined();
    expect(cellsOf(streamOf('persons', { enabled: false })).next).toBe('off');
  });
});

describe('the status', () => {
  const text = (more: Partial<Status>) => layOut(renderStatus(statusOf(more), at), 200).join('\n');

  it('tells what is missing and why in full sentences, each once', () => {
    const runs = [
      runOf('objects', {
        status: 'partial',
        summary: { problems: ['pump1: refused', 'pump2: refused'], notes: ['3 rows are kept'] },
        error: 'pump1: refused',
      }),
      runOf('history', { kind: 'increment */*', status: 'failed', error: 'no token' }),
      runOf('history', { kind: 'sweep */*', status: 'failed', error: 'no token' }),
      runOf('users', { status: 'lost', finishedAt: undefined, summary: null }),
      runOf('networks', { status: 'interrupted', summary: { problems: [] } }),
      runOf('persons', { status: 'running', finishedAt: undefined }),
    ];
    const lines = text({ runs }).split('\n');
    const said = lines.filter((line) => /^(objects|history|users|networks|persons): /.test(line));
    expect(said).toEqual([
      'objects: pump1: refused',
      'objects: pump2: refused',
      'objects: 3 rows are kept',
      'history: no token',
      expect.stringMatching(/^users: the process died, or stood still .*; the next run goes on from there$/),
      'networks: the run was interrupted; the next run goes on from there',
    ]);
  });

  it('shows the first problems of each stream, and how many there are besides', () => {
    const problems = Array.from({ length: 12 }, (_, k) => `pump${k}: refused`);
    const runs = [runOf('objects', { status: 'partial', summary: { problems } })];
    const said = text({ runs })
      .split('\n')
      .filter((line) => line.startsWith('objects: '));
    expect(said).toEqual([
      'objects: pump0: refused',
      'objects: pump1: refused',
      'objects: pump2: refused',
      'objects: and 9 more problems (--json lists all)',
    ]);
  });

  it('lists the runs of history and polls apart from those of streams', () => {
    const runs = [
      runOf('persons'),
      runOf('history', { kind: `increment ${'x'.repeat(80)}/*` }),
      runOf('current', { kind: 'poll' }),
    ];
    const lines = text({ streams: [streamOf('persons')], runs }).split('\n');
    const begun = lines.filter((line) => line.includes('2024-05-01T12:00:00Z'));
    expect(begun.map((line) => line.split(/ +/)[0])).toEqual(['history', 'current']);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
  });

  it('lists drift since when, what is new before what is missing, and no more than can be read', () => {
    const entry = { stream: 'objects', table: 'object_labels', count: 3, since: now - DAY, lastAt: now };
    const drift: Status['drift'] = [
      { ...entry, member: 'gone', kind: 'missing', sample: null },
      { ...entry, member: 'color\nof it', kind: 'new', sample: { rgb: [1, 2, 3], name: 'a long sample' } },
      ...Array.from({ length: 30 }, (_, k) => ({
        ...entry,
        member: `m${k}`,
        kind: 'retyped' as const,
        sample: k,
      })),
    ];
    const lines = text({ drift }).split('\n');
    const first = lines.findIndex((line) => line.startsWith('object_labels'));
    expect(lines[first]).toMatch(
      /^object_labels {2}color of it {2}new +3 {2}2024-04-30T12:03:00Z {2}\{"rgb":\[1,2,3\],"name":"a…$/,
    );
    expect(lines.filter((line) => line.startsWith('object_labels'))).toHaveLength(20);
    expect(lines).toContain('and 12 more (--json lists all)');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
    expect(text({})).not.toContain('drift:');
  });
});
