import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/errors.ts';
import type { ServiceRecord } from '../../../src/ledger/services.ts';
import { clockText } from '../../../src/sync/count-text.ts';
import type { LedgerFacts } from '../../../src/sync/status/overview-facts.ts';
import { findProblems } from '../../../src/sync/status/overview-problems.ts';
import type { Overview, SeenDependency, SeenStore } from '../../../src/sync/status/overview-types.ts';
import { englishWords, sayWhole } from '../../../src/sync/status/problem-words.ts';
import { levelOf, seeComplete } from '../../../src/sync/status/see-complete.ts';

const MINUTE = 60e6;
const now = Date.UTC(2024, 4, 1, 12, 3) * 1000;
const nowMs = now / 1000;
const since = '2024-05-01T11:58:03.000Z';

const run = {
  ...{ id: 1, stream: 'objects', kind: 'scan', startedAt: now - MINUTE, finishedAt: now },
  ...{ status: 'done' as const, summary: null, error: undefined },
};

function factsOf(more: Partial<LedgerFacts> = {}): LedgerFacts {
  return {
    services: [],
    pauses: [],
    backfills: [],
    waiting: new Map(),
    rejects: new Map(),
    lostPolledValues: 0,
    runs: [run],
    heads: { series: 3, stores: [], lags: [] },
    gaps: [],
    gapsAgeSec: 0,
    verifications: [],
    ...more,
  };
}

function serviceOf(more: Partial<ServiceRecord> = {}): ServiceRecord {
  return {
    ...{ id: 1, host: 'a', pid: 7, role: 'worker', isAlive: true, overdue: [], dependencies: {} },
    ...{ startedAt: now - 60 * MINUTE, beatAt: now - 5 * MINUTE },
    ...more,
  };
}

const influx: SeenDependency = {
  ...{ name: 'influx', title: 'InfluxDB', state: 'down', since, toldBy: 'this look' },
  ...{ reason: 'InfluxDB cannot be reached: connect ECONNREFUSED 127.0.0.1:1.', code: 'influx.unreachable' },
};
const store: SeenStore = {
  ...{ store: 'influx:a', kind: 'influx', title: 'InfluxDB', seriesBehind: 0, waiting: 0 },
  ...{ storedUpTo: '2024-05-01T12:02:40.000Z', behindSec: 20 },
  gaps: { hours: 0, series: 0, oldest: undefined },
};

interface Given extends Partial<Pick<Overview, 'dependencies' | 'stores' | 'token' | 'unread'>> {
  readonly facts?: Partial<LedgerFacts>;
}

function find({ facts = {}, stores = [store], ...more }: Given = {}) {
  const known = factsOf(facts);
  const problems = findProblems({
    ...{ dependencies: [], token: { state: 'up', since }, unread: undefined, stores, nowMs },
    facts: known,
    overdue: known.services.flatMap(({ overdue }) => overdue),
    ...more,
  });
  const complete = seeComplete({ problems, stores });
  const sentence = sayWhole({ complete, problems }, englishWords, (time) => clockText(time, nowMs));
  return { problems, level: levelOf(problems), sentence };
}

describe('the overview', () => {
  it('says up to when everything is stored if nothing is wrong', () => {
    expect(find()).toEqual({
      problems: [],
      level: 'ok',
      sentence: 'everything is stored up to 12:02:40Z',
    });
  });

  it('names a store that is away with how far it is behind, since when, why, and what to do', () => {
    const late = { ...store, behindSec: 240, seriesBehind: 3, storedUpTo: '2024-04-30T11:59:00.000Z' };
    const { level, sentence, problems } = find({ dependencies: [influx], stores: [late] });
    expect({ level, sentence }).toEqual({
      level: 'broken',
      sentence: 'InfluxDB is 4 min behind, and away since 11:58:03Z: connection refused',
    });
    expect(problems).toMatchObject([{ subject: 'influx', since, code: 'influx.unreachable' }]);
    expect(problems[0]?.remedy).toMatch(/\w/);
  });

  it('tells a code that only another version of plantsync knows, and where to look', () => {
    const code = 'influx.new_in_another_version' as ErrorCode;
    const { problems } = find({ dependencies: [{ ...influx, code }] });
    expect(problems).toMatchObject([{ code, remedy: expect.stringContaining('plantsync check') }]);
  });

  it('tells a store that is there and behind, with its gaps', () => {
    const late = {
      ...{ ...store, behindSec: 240, seriesBehind: 3, storedUpTo: '2024-04-30T11:59:00.000Z' },
      gaps: { hours: 12.345, series: 2, oldest: '2024-04-01T00:00:00.000Z' },
    };
    const pauses = [{ target: 'history', since: now - 180 * MINUTE }];
    expect(find({ stores: [late], facts: { pauses } })).toMatchObject({
      level: 'late',
      sentence:
        'history is paused since 09:03:00Z; InfluxDB is 4 min behind in 3 series since 2024-04-30T11:59:00Z, and lacks 12.3 h of 2 series, the oldest from 2024-04-01T00:00:00Z: history is paused',
      problems: [
        { kind: 'paused', remedy: expect.stringContaining('plantsync resume history') },
        { kind: 'store-behind', subject: 'influx' },
      ],
    });
  });

  it('makes one problem of a series that cannot be read: for all stores, with its gaps and its run', () => {
    const late = {
      ...{ ...store, storedUpTo: undefined, behindSec: undefined, seriesBehind: 1 },
      gaps: { hours: 3.0004, series: 1, oldest: '2024-05-01T09:02:00.400Z' },
    };
    const other = { ...late, store: 'postgres', kind: 'postgres', title: 'PostgreSQL' };
    const cause = { text: 'the archive is being moved', code: 'platform.operation_failed' };
    const unread = [
      { series: 'pump.level', others: 1, cause, asideUntil: '2024-05-01T12:10:00Z' },
      { series: 'fan.speed', others: 0, cause },
    ];
    const partial = {
      ...{ ...run, stream: 'history', status: 'partial' as const, error: 'some text' },
      summary: { unread },
    };
    const { problems, sentence } = find({ stores: [other, late], facts: { runs: [partial] } });
    expect(sentence).toBe(
      'PostgreSQL and InfluxDB lack 3 h of 1 series, the oldest from 09:02:00Z: pump.level and 1 other series cannot be read, and are set aside until 12:10:00Z: the archive is being moved; 1 more reason is in the run',
    );
    expect(problems).toMatchObject([{ kind: 'gaps', subject: 'postgres, influx' }]);
    const away = find({ dependencies: [influx], stores: [other, late], facts: { runs: [partial] } });
    expect(away.problems.map(({ kind }) => kind)).toEqual(['dependency-away', 'gaps']);
    const less = { ...late, gaps: { ...late.gaps, hours: 2 } };
    expect(find({ stores: [other, less], facts: { runs: [partial] } }).problems).toHaveLength(2);
  });

  it('misses a killed process until another has its role, and tells overdue jobs once', () => {
    const overdue = [{ job: 'poll-1', dueMs: nowMs - 300_000, overdueSec: 300 }];
    const dead = serviceOf({ pid: 9, isAlive: false });
    const { sentence, level } = find({ facts: { services: [dead] } });
    expect({ sentence, level }).toEqual({
      sentence:
        'everything is stored up to 12:02:40Z; plantsync run (role worker, process 9 on a) gives no sign of life since 11:58:00Z',
      level: 'broken',
    });
    const old = serviceOf({ overdue });
    expect(find({ facts: { services: [dead, old] } }).problems).toMatchObject([
      { kind: 'service-silent', level: 'late' },
      { kind: 'job-overdue', sentence: expect.stringMatching(/^poll-1 is overdue by 5 min: .* 11:58:00Z/) },
    ]);
    const successor = serviceOf({ role: 'all', startedAt: now - MINUTE });
    expect(find({ facts: { services: [dead, successor] } }).problems).toEqual([]);
  });

  it('names a full disk, a refused token, and a ledger that cannot be read', () => {
    const postgres = {
      ...influx,
      name: 'postgres',
      title: 'PostgreSQL',
      code: 'postgres.disk_full' as const,
    };
    expect(find({ dependencies: [postgres] }).sentence).toBe(
      'PostgreSQL has no room on its disk since 11:58:03Z: it stores nothing',
    );
    const refused = {
      state: 'down' as const,
      since,
      reason: 'wrong secret',
      code: 'platform.wrong_secret' as const,
    };
    const platform = {
      ...influx,
      name: 'platform',
      title: 'the platform',
      code: 'platform.wrong_secret' as const,
    };
    const { problems, sentence } = find({ dependencies: [platform], token: refused });
    expect(problems).toHaveLength(1);
    expect(sentence).toMatch(/the platform gives no access token since 11:58:03Z: wrong secret$/);
    const unread = { reason: 'no answer within 15 s', code: 'postgres.unreachable' as const };
    expect(find({ unread, stores: [], facts: { runs: [] } })).toMatchObject({
      level: 'broken',
      sentence: 'the ledger cannot be read: no answer in time',
    });
  });

  it('tells the newest failed run of a stream, unless a later one was good and it is old', () => {
    const failed = { ...run, status: 'failed' as const, error: 'no rights' };
    const later = { ...run, id: 2, kind: 'other' };
    expect(find({ facts: { runs: [later, failed] } }).problems).toMatchObject([
      { kind: 'run-failed', sentence: 'the run of objects of 12:02:00Z failed: no rights' },
    ]);
    const old = { ...failed, startedAt: now - 3 * 1440 * MINUTE };
    expect(find({ facts: { runs: [later, old] } }).problems).toEqual([]);
  });

  it.each(['partial', 'lost'] as const)(
    'tells a run that ended %s until a better one of its stream, which fills what was left out',
    (status) => {
      const poor = { ...run, status };
      expect(find({ facts: { runs: [poor] } }).problems).toMatchObject([{ kind: 'run-failed' }]);
      const better = { ...run, id: 2, kind: 'other' };
      expect(find({ facts: { runs: [better, poor] } }).problems).toEqual([]);
    },
  );

  it('tells what a comparison found to differ, once, and how to repair it, also after better runs', () => {
    const verified = {
      ...{ from: now - 60 * MINUTE, to: now, isWhole: true },
      stores: {
        'influx:a': { kind: 'influx', missing: 2, extra: 1, different: 0, series: 2, isRepaired: false },
      },
    };
    const verification = { ...run, id: 2, stream: 'history', kind: 'verify', status: 'partial' as const };
    const runs = [{ ...verification, summary: { verified } }, run];
    const verifications = [{ kind: 'verify', at: now - MINUTE, run: 2, ...verified }];
    expect(find({ facts: { runs, verifications } }).problems).toMatchObject([
      {
        ...{
          level: 'late',
          kind: 'verify-differences',
          subject: 'influx',
          since: '2024-05-01T12:02:00.000Z',
        },
        sentence:
          'InfluxDB differs from the platform in 3 points of 2 series, as the comparison of 12:02:00Z found',
        remedy:
          '`plantsync verify --from 2024-05-01T11:03:00.000Z --to 2024-05-01T12:03:00.000Z --repair` makes them equal.',
      },
    ]);
  });
});
