import { describe, expect, it } from 'vitest';
import { problemFacts } from '../../../src/console/api/problem-facts.ts';
import { chineseCodes } from '../../../src/console/page/texts/codes/chinese.ts';
import { makeChineseWords, sayRemedy } from '../../../src/console/page/texts/problems-zh.ts';
import { errorCodes } from '../../../src/error-codes/error-codes.ts';
import type { Cause } from '../../../src/sync/brief-reason.ts';
import { clockText } from '../../../src/sync/count-text.ts';
import type { MissingData, ProblemFacts, WhyMissing } from '../../../src/sync/status/problem-facts.ts';
import { englishWords, sayWhole } from '../../../src/sync/status/problem-words.ts';

const nowMs = Date.UTC(2024, 4, 1, 12, 3);
const clock = (time: string) => clockText(time, nowMs);
const since = '2024-05-01T11:58:03Z';
const code = 'platform.operation_failed';
const cause: Cause = { text: 'the archive is being moved', code };
const textOf = (each: string | undefined) => (each === undefined ? undefined : chineseCodes[each]);
const chinese = makeChineseWords(textOf);

const whys: readonly WhyMissing[] = [
  { is: 'paused' },
  { is: 'no-service' },
  { is: 'backfill' },
  { is: 'failed', cause },
  { is: 'unread', series: 'pump.level', others: 2, more: 1, cause, asideUntil: '2024-05-01T12:10:00Z' },
];
const missing: MissingData = {
  ...{ says: 'missing', stores: ['PostgreSQL', 'InfluxDB'], isServed: true },
  late: { series: 3, bySec: 240, since },
  gaps: { hours: 12.3, series: 2, oldest: '2024-04-01T00:00:00Z' },
};
const failures = ['refused', 'unknown-host', 'no-way', 'closed', 'no-answer'] as const;

/** At least one of each kind of problem. */
const kinds: Readonly<Record<ProblemFacts['says'], ProblemFacts[]>> = {
  'ledger-unread': [{ says: 'ledger-unread', cause: { text: 'no answer in time', failure: 'no-answer' } }],
  'ledger-refused': [{ says: 'ledger-refused', cause: { text: 'newer', code: 'ledger.newer_version' } }],
  'disk-full': [{ says: 'disk-full', title: 'PostgreSQL', since }],
  away: [
    { says: 'away', name: 'platform', title: 'the platform', since, cause },
    ...failures.map((failure) => ({
      ...{ says: 'away' as const, name: 'influx', title: 'InfluxDB', since, behindSec: 240 },
      cause: { text: failure, failure },
    })),
  ],
  'no-token': [{ says: 'no-token', since, cause: { text: 'no', code: 'platform.wrong_secret' } }],
  silent: [{ says: 'silent', role: 'worker', pid: 9, host: 'a', since }],
  overdue: [{ says: 'overdue', job: 'poll-1', due: since, lateSec: 300 }],
  paused: [
    { says: 'paused', target: '*', since },
    { says: 'paused', target: 'history', since },
  ],
  missing: [
    { ...missing, late: { series: 2 } },
    { ...missing, isServed: false },
    ...whys.map((why): MissingData => ({ ...missing, gaps: undefined, why })),
  ],
  'run-failed': (['failed', 'partial', 'lost'] as const).map((ended) => ({
    ...{ says: 'run-failed' as const, stream: 'persons', begun: since, ended },
    ...(ended !== 'lost' && { cause }),
  })),
  differs: [{ says: 'differs', title: 'InfluxDB', points: 3, series: 2, found: since }],
  rejects: [{ says: 'rejects', open: 2, streams: ['history', 'current'] }],
  'values-lost': [{ says: 'values-lost', count: 7 }],
  'nothing-read': [{ says: 'nothing-read' }],
};
const all: ProblemFacts[] = Object.values(kinds).flat();

/** Two Latin words side by side are English. Names stand alone, and commands between backticks. */
const ENGLISH = /[A-Za-z]{2,} [A-Za-z]{2,}/;
const withoutCommands = (text: string) => text.replaceAll(/`[^`]*`/g, '').replaceAll(/Open API/g, '');

describe('what the page says of problems', () => {
  it('is in English the sentence of the service, from the same facts', () => {
    for (const facts of all) {
      // The page gets what the API lets through.
      const received = problemFacts.parse(JSON.parse(JSON.stringify(facts)));
      expect(englishWords.problem(received, clock)).toBe(englishWords.problem(facts, clock));
      expect(received).toEqual(JSON.parse(JSON.stringify(facts)));
    }
  });

  it.each(all.map((facts) => [facts.says, facts] as const))('has no English in Chinese: %s', (_, facts) => {
    const said = [chinese.problem(facts, clock), sayRemedy(facts, textOf(code))].map(withoutCommands);
    for (const text of said) {
      expect(text).not.toMatch(ENGLISH);
      expect(text).toMatch(/\p{Script=Han}/u);
      expect(text).not.toContain('undefined');
    }
  });

  it('names the same in both languages: stores, series, numbers and times', () => {
    for (const facts of all) {
      const english = englishWords.problem(facts, clock);
      const said = chinese.problem(facts, clock);
      for (const time of english.match(/\d{2}:\d{2}:\d{2}Z/g) ?? []) expect(said).toContain(time);
      for (const name of facts.says === 'missing' ? facts.stores : []) expect(said).toContain(name);
      if (english.includes('pump.level')) expect(said).toContain('pump.level');
    }
  });

  it('is one sentence of all', () => {
    const found = { complete: { upTo: since }, problems: all.slice(0, 4).map((facts) => ({ facts })) };
    expect(sayWhole(found, englishWords, clock)).toMatch(
      /^everything is stored up to 11:58:03Z; .*; and 2 more problems$/,
    );
    expect(sayWhole(found, chinese, clock)).toMatch(/^数据已完整存储至 11:58:03Z；.*；另有 2 个问题$/);
  });
});

describe('the codes', () => {
  /** Areas whose codes people meet on the page. */
  const areas = ['platform', 'history', 'postgres', 'ledger', 'influx', 'redis', 'sync', 'console'];
  /** Codes that only a terminal shows: the service does not start with them. */
  const terminal = [
    ...['postgres.embedded_not_installed', 'postgres.embedded_as_root', 'postgres.embedded_password'],
    ...['influx.demo_failed', 'console.cannot_listen', 'console.no_answer'],
  ];

  it('that the page can show have a Chinese text', () => {
    const shown = Object.keys(errorCodes).filter((each) => areas.includes(each.split('.')[0] ?? ''));
    expect(shown.filter((each) => !terminal.includes(each) && chineseCodes[each] === undefined)).toEqual([]);
  });

  it('have texts without English', () => {
    for (const [name, texts] of Object.entries(chineseCodes)) {
      expect(Object.keys(errorCodes)).toContain(name);
      for (const text of texts) expect(withoutCommands(text), name).not.toMatch(ENGLISH);
    }
  });
});
