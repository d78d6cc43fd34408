import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../../src/simulator/faults.ts';
import type { SimulatorDialect } from '../../../src/simulator/simulator-dialect.ts';
import type { PointTruth } from '../../../src/simulator/truth.ts';
import { objectProperties } from '../../../src/streams/object-properties.ts';
import { objects } from '../../../src/streams/objects.ts';
import { persons } from '../../../src/streams/persons.ts';
import { syncSnapshot } from '../../../src/sync/directory/sync-stream.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { pollCurrent } from '../../../src/sync/polls/poll-current.ts';
import type { RunSummary } from '../../../src/sync/run-summary.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';
import { expectDirectory, expectHistory } from '../../support/truth/simulated-truth.ts';

/** A list, a list with children, and a list with values. The other lists are read in the same way. */
const streams = [persons, objects, objectProperties];
/** The plant's clock stands still, so that the expected data does not change while it is read. */
const nowMs = Date.UTC(2026, 2, 1, 12, 0, 30);
const fromMs = nowMs - 2 * 3_600_000;
const toMs = nowMs - 60_000;

function openPlant(dialect: Partial<SimulatorDialect>, platform: object = {}): Promise<SimulatedPlant> {
  return openSimulatedPlant({ size: 'tiny', awkward: true, seed: 7, nowMs: () => nowMs, dialect }, () => ({
    platform: { requestTimeout: '2s', deadline: '30s', ...platform },
    limits: { rowsPerRead: 500 },
  }));
}

async function readEverything({ ctx }: SimulatedPlant): Promise<RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (const stream of streams) summaries.push(await syncSnapshot(ctx, stream));
  summaries.push(await fillHistory(ctx, { mode: 'backfill', from: fromMs * 1000, to: toMs * 1000 }));
  summaries.push(await pollCurrent(ctx));
  return summaries;
}

async function expectEverything(plant: SimulatedPlant, shown?: Shown): Promise<void> {
  const summaries = await readEverything(plant);
  expect(summaries.flatMap(({ problems }) => problems)).toEqual([]);
  await expectDirectory(plant);
  expect(await expectHistory(plant, { fromMs, toMs, shown })).toBeGreaterThan(1_000);
  const polled = await plant.databases.count('current_values');
  const recorded = [...plant.simulator.truth.series()].filter(({ persisted, logged }) => persisted || logged);
  expect(polled).toBe(recorded.length);
}

type Shown = (point: PointTruth) => PointTruth | undefined;
type Variant = [
  name: string,
  dialect: Partial<SimulatorDialect>,
  platform?: object | undefined,
  shown?: Shown,
];
/** Formats without decimals cut off milliseconds. */
const inSeconds: Shown = ([timeMs, value]) => [Math.floor(timeMs / 1000) * 1000, value];
/** Null is padding if series share their rows. */
const withoutNull: Shown = (point) => (point[1] === null ? undefined : point);
const shanghai = { timezone: 'Asia/Shanghai' };

/** Dialects of tokens, pages, errors and current values. */
const ofRecords: [name: string, dialect: Partial<SimulatorDialect>][] = [
  [
    'opaque tokens with a lifetime in milliseconds as number',
    { tokenForm: 'opaque', expiresInAs: 'number', expiresInUnit: 'ms' },
  ],
  ['tokens without refresh token and with more members', { refreshTokens: false, extraTokenMembers: true }],
  ['tokens that end when another is granted', { grantEndsOldTokens: true, refreshOnce: true }],
  ['total absent', { total: 'absent' }],
  ['total on the first page only', { total: 'first-page' }],
  ['total as text', { total: 'text' }],
  ['total 0', { total: 'zero' }],
  ['total too high', { total: 'high' }],
  ['total too low', { total: 'low' }],
  ['no pagination member', { pagination: 'absent' }],
  ['pagination named current', { paginationNames: 'current' }],
  ['pagination named page', { paginationNames: 'page' }],
  ['the last record again past the end', { pastEnd: 'short' }],
  ['the last page again past the end', { pastEnd: 'last-page' }],
  ['smaller pages than asked', { maxPageSize: 3 }],
  ['errors with integer codes and more members', { errorCode: 'integer', extraErrorMembers: true }],
  ['wrapped current values', { currentReply: 'wrapped' }],
  ['current values in quotes', { currentNames: 'quoted' }],
  ['current values with a prefix', { currentNames: 'prefixed', currentReply: 'wrapped' }],
];

const ofHistory: Variant[] = [
  ['the default', {}],
  ['nested history', { historyReply: 'nested' }],
  ['wide history', { historyReply: 'wide', valueField: 'series' }, undefined, withoutNull],
  [
    'wide history under a hidden cap',
    { historyReply: 'wide', valueField: 'series', hiddenCap: 70 },
    undefined,
    withoutNull,
  ],
  ['values named by series, before their times', { valueField: 'series', columnOrder: 'value-first' }],
  ['history newest first', { historyOrder: 'descending' }],
  ['limit over all series', { limitMeaning: 'total' }],
  [
    'limit over all series by time, newest first',
    { limitMeaning: 'total-by-time', historyOrder: 'descending' },
  ],
  ['a hidden cap per series', { hiddenCap: 70 }],
  [
    'a hidden cap in all, newest first',
    { hiddenCap: 150, hiddenCapMeaning: 'total', historyOrder: 'descending' },
  ],
  ['a hidden cap and an ignored offset', { hiddenCap: 70, ignoreOffset: true }],
  ['a low greatest limit', { maxLimit: 200 }],
  ['times with milliseconds', { historyTimes: 'utc-millis', recordTimes: 'utc-millis' }],
  ['times with offset', { historyTimes: 'offset', recordTimes: 'offset' }],
  ['times with offset without colon', { historyTimes: 'offset-no-colon', recordTimes: 'offset-no-colon' }],
  ['times as epoch milliseconds', { historyTimes: 'epoch-ms', recordTimes: 'epoch-ms' }],
  ['times without zone', { historyTimes: 'zoneless', recordTimes: 'zoneless' }, shanghai, inSeconds],
  ['times as epoch seconds', { historyTimes: 'epoch-s', recordTimes: 'epoch-s' }],
  ['integers as text', { int64As: 'string' }],
  ['integers as numbers and text', { int64As: 'mixed' }],
  ['NaN as null', { nanAs: 'null' }],
  ['bare NaN', { nanAs: 'bare' }],
];

/** Dialects of records and of history are read by different code, so they are tried together. */
const replies = ofHistory.map(([name, dialect, ...more], k): Variant => {
  const [ofRecord, ownDialect] = ofRecords[k % ofRecords.length] ?? ['', {}];
  return [`${name} and ${ofRecord}`, { ...ownDialect, ...dialect }, ...more];
});

const settings: Variant[] = [
  [
    'token in another header',
    { tokenPlace: { in: 'header', name: 'X-Token', scheme: '' } },
    { dialect: { token: { name: 'X-Token', scheme: '' } } },
  ],
  [
    'token in the query',
    { tokenPlace: { in: 'query', name: 'access_token' } },
    { dialect: { token: { in: 'query', name: 'access_token' } } },
  ],
  ['current values asked by names', { currentMember: 'names' }, { dialect: { currentParam: 'names' } }],
  ['series unquoted', { historySelect: ['unquoted'] }, { dialect: { select: 'bare' } }],
  ['series in parentheses', { historySelect: ['parenthesised'] }, { dialect: { select: 'parenthesised' } }],
  ['unused bounds sent empty', { unusedBounds: 'empty' }, { dialect: { unusedBounds: 'empty' } }],
  [
    'local times that claim to be UTC',
    { historyTimes: 'local-as-utc', recordTimes: 'local-as-utc' },
    { dialect: { zoneOverride: 'Asia/Shanghai' } },
    inSeconds,
  ],
];

describe('everything equals the truth', () => {
  it.each(replies)('with %s', async (_, dialect, platform, shown) =>
    expectEverything(await openPlant(dialect, platform), shown),
  );
  it.each(settings)('with the setting for %s', async (_, dialect, platform, shown) =>
    expectEverything(await openPlant(dialect, platform), shown),
  );
});

const passing: [name: string, rules: FaultRule[]][] = [
  ['429 with Retry-After', [{ kind: 'status', status: 429, retryAfterSec: 1, times: 3 }]],
  ['503 without Retry-After', [{ kind: 'status', status: 503, times: 4 }]],
  ['400 with code 800002', [{ kind: 'status', status: 400, code: '800002', times: 3 }]],
  ['pages of HTML', [{ kind: 'html', status: 502, times: 3 }]],
  ['broken JSON', [{ kind: 'json-garbage', times: 2, operation: 'listObjects' }]],
  ['resets', [{ kind: 'reset', probability: 0.15 }]],
  ['replies that are lost', [{ kind: 'lost', probability: 0.1 }]],
  ['bodies cut short', [{ kind: 'truncate', probability: 0.15 }]],
  ['silence', [{ kind: 'silent', times: 2, operation: 'readHistory' }]],
  ['slow bodies', [{ kind: 'slow', times: 2, operation: 'listObjectProperties', delayMs: 300 }]],
  ['latency', [{ kind: 'latency', delayMs: 20 }]],
  ['a revoked token', [{ kind: 'revoke', operation: 'listObjectProperties', after: 2, times: 1 }]],
];

describe('everything equals the truth in spite of', () => {
  it.each(passing)('%s', async (_, rules) => {
    const plant = await openPlant({});
    plant.simulator.setFaults(rules);
    await expectEverything(plant);
  });
});

/**
 * The time-out is short, because each silent request takes all of it. A busy machine needs a long one for
 * requests that are answered.
 */
const impatient = { requestTimeout: '400ms', deadline: '1600ms' };

const lasting: [name: string, rule: FaultRule, message: RegExp, platform?: object][] = [
  ['HTTP 500', { kind: 'status', status: 500 }, /500/],
  ['HTTP 403', { kind: 'status', status: 403 }, /refuse|authori/i],
  ['HTML', { kind: 'html', status: 502 }, /502/],
  ['broken JSON', { kind: 'json-garbage' }, /JSON|reply/i],
  ['silence', { kind: 'silent' }, /time|deadline|answer|complete/i, impatient],
  ['resets', { kind: 'reset' }, /reset|connection|closed/i],
];

describe('a fault that does not end', () => {
  it.each(lasting)(
    '%s: every stream says what failed, and nothing is called stored',
    async (_, rule, message, platform) => {
      const plant = await openPlant({}, { retries: 1, ...platform });
      for (const stream of streams) await syncSnapshot(plant.ctx, stream);
      plant.simulator.setFaults(
        ['listPersons', 'listObjectProperties', 'readHistory', 'readCurrent'].map(
          (operation) => ({ ...rule, operation }) as FaultRule,
        ),
      );
      const summaries = await readEverything(plant);
      const failing = summaries.filter(({ status }) => status !== 'done');
      expect(failing.map(({ stream }) => stream)).toEqual([
        'persons',
        'object_properties',
        'history',
        'current',
      ]);
      for (const { problems } of failing) expect(problems.join('\n')).toMatch(message);
      expect(await plant.databases.count('samples')).toBe(0);
      expect(await plant.databases.rows('select count(*)::int from plantsync.coverage')).toEqual([0]);
      await expectDirectory(plant);
    },
  );
});
