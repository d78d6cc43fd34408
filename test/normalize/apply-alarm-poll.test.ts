import { describe, expect, it } from 'vitest';
import { applyHistory } from '../../src/normalize/apply-alarm-history.ts';
import { type AlarmPoll, applyPoll } from '../../src/normalize/apply-alarm-poll.ts';
import type { AlarmRow, SeenAlarm } from '../../src/streams/alarm-row.ts';
import { afterwards, everything, pollAt, SEC, seenAlarm } from './alarm-samples.ts';

/** Returns rows and events after some polls in a row. Each poll knows the last complete poll before it. */
function follow(polls: readonly AlarmPoll[], rows: AlarmRow[] = []) {
  const events: string[] = [];
  const lastPolls = new Map<string | null, number>();
  for (const poll of polls) {
    const changes = applyPoll({ ...poll, lastPolls }, rows);
    rows = afterwards(rows, changes.rows);
    events.push(...changes.events.map(({ transition, at }) => `${transition} ${at / SEC}`));
    if (poll.complete) lastPolls.set(poll.scope.filter, poll.beganAt);
  }
  return { rows, events };
}

const readHistory = (second: number, seen: readonly SeenAlarm[], rows: AlarmRow[], polled = true) => {
  const read = { seen, endedAt: second * SEC, polled: polled ? everything : undefined };
  const changes = applyHistory(read, rows);
  return { rows: afterwards(rows, changes.rows), events: changes.events };
};

describe('a poll of current alarms', () => {
  it('keeps an alarm from its first sight on, with the transitions that it tells', () => {
    const acknowledged = { ack_status: '1', acknowledged_at: 12 * SEC, acknowledged_by: 'lina' };
    const { rows, events } = follow([
      pollAt(10, [seenAlarm()]),
      pollAt(20, [seenAlarm(acknowledged)]),
      pollAt(30, [seenAlarm({ ...acknowledged, value: '13' })]),
    ]);
    expect(rows).toMatchObject([
      { is_active: true, is_acknowledged: true, acknowledged_by: 'lina', value: '13', twins: 1 },
    ]);
    expect(events).toEqual(['raised 0', 'acknowledged 12']);
  });

  it('costs no write while nothing changes', () => {
    const { rows } = follow([pollAt(10, [seenAlarm()])]);
    expect(applyPoll(pollAt(20, [seenAlarm()], { lastPolls: new Map([[null, 10 * SEC]]) }), rows)).toEqual({
      rows: [],
      events: [],
      withheld: undefined,
    });
  });

  it('clears an alarm that two complete polls in a row do not show, between the last that did and the first that did not', () => {
    const polls = [10, 20, 30].map((second) => pollAt(second, [seenAlarm()]));
    const once = follow([...polls, pollAt(40, [])]);
    expect(once.rows).toMatchObject([{ is_active: true, missing_since: 41 * SEC }]);
    const twice = follow([...polls, pollAt(40, []), pollAt(50, [])]);
    expect(twice.rows).toMatchObject([
      { is_active: false, cleared_after: 30 * SEC, cleared_before: 41 * SEC, status: '1' },
    ]);
    expect(twice.events).toEqual(['raised 0', 'cleared 41']);
  });

  it('counts neither misses of incomplete polls, nor misses that do not follow each other', () => {
    const incomplete = { complete: false };
    const shown = pollAt(10, [seenAlarm()]);
    const { rows } = follow([
      shown,
      pollAt(20, []),
      pollAt(30, [], incomplete),
      pollAt(40, [seenAlarm()], incomplete),
      pollAt(50, []),
      pollAt(60, [], incomplete),
    ]);
    expect(rows).toMatchObject([
      { is_active: true, missed_scans: 1, shown_at: 40 * SEC, missing_since: 51 * SEC },
    ]);
    expect(follow([shown, pollAt(20, []), pollAt(30, [seenAlarm()]), pollAt(40, [])]).rows).toMatchObject([
      { is_active: true, missed_scans: 1, shown_at: 30 * SEC },
    ]);
  });

  it('clears only what its own filter would show', () => {
    const ofFive = { scope: { filter: '{"priority":[5]}', priorities: [5], hasKeyword: false } };
    const ofPump = { scope: { filter: '{"keyword":"pump"}', priorities: undefined, hasKeyword: true } };
    const other = seenAlarm({ object: 'pump2', priority: 6 });
    const { rows } = follow([
      pollAt(10, [seenAlarm(), other]),
      pollAt(20, [], ofFive),
      pollAt(30, [], ofFive),
      pollAt(40, [], ofPump),
      pollAt(50, [], ofPump),
    ]);
    expect(rows.map((row) => [row.object, row.is_active])).toEqual([
      ['pump1', false],
      ['pump2', true],
    ]);
  });

  it('that loses too large a share of the active alarms clears none; history confirms which are over', () => {
    const all = Array.from({ length: 20 }, (_, k) => seenAlarm({ object: `pump${k}` }));
    const few = all.slice(7);
    const { rows } = follow([pollAt(10, all), pollAt(20, few), pollAt(30, few), pollAt(40, few)]);
    expect(rows.filter((row) => row.is_active)).toHaveLength(20);
    const poll = pollAt(50, few, { lastPolls: new Map([[null, 40 * SEC]]) });
    expect(applyPoll(poll, rows).withheld).toEqual({ open: 20, missing: 7 });
    expect(applyPoll({ ...poll, maxClearShare: 1 }, rows).events).toHaveLength(7);
    const over = all.slice(0, 3).map((alarm) => ({ ...alarm, status: '0' }));
    const confirmed = readHistory(60, [...over, ...all.slice(3)], rows);
    expect(confirmed.events.map(({ object, at }) => [object, at / SEC])).toEqual([
      ['pump0', 21],
      ['pump1', 21],
      ['pump2', 21],
    ]);
    expect(confirmed.rows.filter((row) => row.is_active)).toHaveLength(17);
    const six = all.slice(6);
    expect(
      follow([pollAt(10, all), pollAt(20, six), pollAt(30, six)]).rows.filter((row) => row.is_active),
    ).toHaveLength(14);
  });

  it('takes equal alarms for one, which is active and unacknowledged as long as one of them is', () => {
    const seen = [
      seenAlarm({ ack_status: '1', acknowledged_at: 5 * SEC }),
      seenAlarm(),
      seenAlarm({ value: '9' }),
    ];
    const one = applyPoll(pollAt(10, seen), []);
    expect(one.rows).toMatchObject([{ twins: 3, is_acknowledged: false }]);
    expect(one.events).toHaveLength(1);
    expect(applyPoll(pollAt(10, seen.toReversed()), []).rows).toEqual(one.rows);
    const { rows } = follow([pollAt(10, seen), pollAt(20, [seenAlarm({ value: '9' })])]);
    expect(rows).toMatchObject([{ twins: 3 }]);
  });

  it('tells apart alarms that differ in one member of the key only', () => {
    const differing = [
      { object: 'o' },
      { property: 'flow' },
      { show_name: 'n' },
      { alarm_type: 'LT' },
      { started_at: 1 },
    ];
    const { rows } = follow([pollAt(10, [seenAlarm(), ...differing.map(seenAlarm)])]);
    expect(rows).toHaveLength(6);
  });

  it('never replaces what is known by less', () => {
    const less = seenAlarm({
      description: null,
      object_show_name: null,
      priority: null,
      ack_status: null,
      value: null,
    });
    const { rows } = follow([pollAt(10, [seenAlarm({ description: 'too hot' })]), pollAt(20, [less])]);
    expect(rows).toMatchObject([
      { description: 'too hot', object_show_name: 'Pump 1', priority: 5, ack_status: '0', value: '12,5' },
    ]);
  });

  it('believes a status that says the alarm is over, and notes one that comes back', () => {
    const { rows, events } = follow([
      pollAt(10, [seenAlarm()]),
      pollAt(20, [seenAlarm({ status: '0' })]),
      pollAt(30, [seenAlarm({ ack_status: '1' })]),
      pollAt(40, [seenAlarm()]),
    ]);
    expect(rows).toMatchObject([
      { is_active: true, is_acknowledged: false, cleared_after: null, cleared_before: null },
    ]);
    expect(events).toEqual(['raised 0', 'cleared 21', 'acknowledged 31', 'raised 31', 'unacknowledged 41']);
  });

  it('leaves alone what was told by a look that came after it was asked', () => {
    const known = follow([pollAt(10, [seenAlarm()])]).rows;
    const told = readHistory(30, [seenAlarm({ ack_status: '1', acknowledged_at: 25 * SEC })], known).rows;
    expect(applyPoll(pollAt(29, [seenAlarm()]), told)).toMatchObject({ rows: [], events: [] });
    const fresh = readHistory(30, [seenAlarm({ object: 'late' })], []).rows;
    expect(applyPoll(pollAt(29, []), fresh)).toMatchObject({ rows: [] });
  });

  it('keeps statuses that are not known as they are', () => {
    const { rows } = follow([pollAt(10, [seenAlarm({ status: '7', ack_status: 'maybe' })])]);
    expect(rows).toMatchObject([
      { status: '7', ack_status: 'maybe', is_active: true, is_acknowledged: null },
    ]);
  });
});

describe('a read of the alarm history', () => {
  it('fills in what polls never saw, with the times that it states', () => {
    const over = seenAlarm({ status: '0', ack_status: '1', acknowledged_at: 3 * SEC });
    const { rows, events } = readHistory(90, [over], []);
    expect(rows).toMatchObject([
      { is_active: false, is_acknowledged: true, cleared_after: null, cleared_before: null, shown_at: null },
    ]);
    expect(events.map(({ transition, at }) => [transition, at / SEC])).toEqual([
      ['raised', 0],
      ['acknowledged', 3],
    ]);
  });

  it('leaves it to polls to find out when an alarm cleared, and only confirms it', () => {
    const over = [seenAlarm({ status: '0' })];
    const shown = follow([pollAt(10, [seenAlarm()])]).rows;
    expect(readHistory(15, over, shown).rows).toMatchObject([{ is_active: true, status: '0' }]);
    const missed = follow([pollAt(10, [seenAlarm()]), pollAt(20, [])]).rows;
    const confirmed = readHistory(25, over, missed);
    expect(confirmed.rows).toMatchObject([
      { is_active: false, cleared_after: 10 * SEC, cleared_before: 21 * SEC },
    ]);
    expect(confirmed.events).toMatchObject([{ transition: 'cleared', at: 21 * SEC }]);
    expect(readHistory(30, [seenAlarm()], confirmed.rows).rows).toMatchObject([{ is_active: false }]);
  });

  it('clears by itself what no poll looks at', () => {
    const open = readHistory(10, [seenAlarm()], [], false).rows;
    const { rows, events } = readHistory(20, [seenAlarm({ status: '0' })], open, false);
    expect(rows).toMatchObject([{ is_active: false, cleared_after: null, cleared_before: 20 * SEC }]);
    expect(events).toMatchObject([{ transition: 'cleared', at: 20 * SEC }]);
  });

  it('corrects what it knows better, but not the latest value of a poll, and takes no acknowledgement back', () => {
    const polled = follow([pollAt(10, [seenAlarm({ ack_status: '1', value: '99', priority: null })])]).rows;
    const { rows, events } = readHistory(
      20,
      [seenAlarm({ value: '80', priority: 7, ack_status: '0' })],
      polled,
    );
    expect(rows).toMatchObject([{ value: '99', priority: 7, is_acknowledged: true, ack_status: '1' }]);
    expect(events).toEqual([]);
    const better = seenAlarm({ ack_status: '1', acknowledged_at: 9 * SEC, acknowledged_by: 'lina' });
    expect(readHistory(30, [better], rows)).toMatchObject({
      rows: [{ acknowledged_at: 9 * SEC, acknowledged_by: 'lina' }],
      events: [],
    });
  });
});
