import { describe, expect, it } from 'vitest';
import { noticeEvents } from '../../src/config/notify-schema.ts';
import type { NoticeRecord } from '../../src/ledger/notices.ts';
import type { Noticed, Webhook } from '../../src/notify/notice.ts';
import { NoticeBook } from '../../src/notify/notice-book.ts';

const AFTER_MS = 120_000;

function noticed(event: Noticed['event'], subject = 'influx'): Noticed {
  return {
    ...{ event, subject, severity: 'critical', since: undefined },
    ...{ sentence: `${subject} is away`, remedy: 'start it' },
  };
}

function webhookOf(name: string, events: Webhook['events'] = [...noticeEvents]): Webhook {
  return {
    name,
    url: `http://${name}.example/`,
    events,
    timeoutMs: 1,
    secret: undefined,
    headers: undefined,
  };
}

/** Makes a book, and a clock that moves by the looks. */
function openBook(saved = new Map<string, NoticeRecord>()) {
  let id = saved.size;
  let nowMs = 0;
  const book = new NoticeBook({ afterMs: AFTER_MS, newId: () => `id${++id}` });
  book.adopt([...saved.values()], nowMs);
  return {
    book,
    saved,
    /** Looks after so many seconds. */
    look(afterSec: number, found: Noticed[], unknown: Noticed[] = []) {
      nowMs += afterSec * 1000;
      const isUnknown = ({ event, subject }: Pick<Noticed, 'event' | 'subject'>) =>
        unknown.some((each) => each.event === event && each.subject === subject);
      book.look({ found, isUnknown, steadyMs: nowMs, at: nowMs * 1000 });
      book.publish();
    },
    /** Lets a webhook take everything. Returns what it took. */
    take(webhook: Webhook): string[] {
      const taken: string[] = [];
      for (let next = book.nextFor(webhook); next !== undefined; next = book.nextFor(webhook)) {
        taken.push(`${next.notice.body.event} ${next.notice.body.subject} ${next.tells}`);
        book.noteTaken(next, webhook);
      }
      return taken;
    },
    write: () =>
      book.write({
        save: async (notice) => void saved.set(notice.id, notice),
        remove: async (gone) => void saved.delete(gone),
      }),
  };
}

const oncall = webhookOf('oncall');
const away = noticed('store-away');

describe('a problem', () => {
  it('is told once when it has lasted, and its end once when it has stayed away', () => {
    const { look, take } = openBook();
    look(0, [away]);
    look(119, [away]);
    expect(take(oncall)).toEqual([]);
    look(1, [away]);
    expect(take(oncall)).toEqual(['store-away influx opened']);
    for (let k = 0; k < 100; k++) look(60, [away]);
    expect(take(oncall)).toEqual([]);
    look(119, []);
    expect(take(oncall)).toEqual([]);
    look(1, []);
    expect(take(oncall)).toEqual(['store-away influx recovered']);
    look(600, []);
    expect(take(oncall)).toEqual([]);
  });

  it('that is over before it is told is not told at all', () => {
    const { look, take } = openBook();
    look(0, [away]);
    look(60, [away]);
    look(60, []);
    look(60, []);
    look(60, [away]);
    expect(take(oncall)).toEqual([]);
  });

  it('that comes and goes is one problem', () => {
    const { look, take } = openBook();
    for (let k = 0; k < 50; k++) look(30, k % 2 === 0 ? [away] : []);
    expect(take(oncall)).toEqual(['store-away influx opened']);
    look(120, []);
    expect(take(oncall)).toEqual(['store-away influx recovered']);
  });

  it('that a look leaves unknown stays as it was', () => {
    const { look, take } = openBook();
    const failing = noticed('stream-failing', 'persons');
    const storm = noticed('alarm-storm', 'alarms');
    look(0, [failing, away]);
    look(120, [failing, away, storm]);
    expect(take(oncall)).toHaveLength(2);
    look(600, [noticed('store-away', 'postgres')], [failing, storm]);
    look(600, [noticed('store-away', 'postgres')], [failing, storm]);
    expect(take(oncall)).toEqual(['store-away influx recovered', 'store-away postgres opened']);
    look(60, [storm]);
    look(60, [storm]);
    expect(take(oncall)).toEqual([
      'stream-failing persons recovered',
      'store-away postgres recovered',
      'alarm-storm alarms opened',
    ]);
  });

  it('is not told before the ledger was asked to remember it', async () => {
    const { book, look, take, write, saved } = openBook();
    look(0, [away]);
    book.look({ found: [away], isUnknown: () => false, steadyMs: 120_000, at: 120e6 });
    expect(take(oncall)).toEqual([]);
    await write();
    book.publish();
    expect(take(oncall)).toEqual(['store-away influx opened']);
    expect([...saved.values()]).toMatchObject([{ id: 'id1', told: {} }]);
  });
});

describe('what was told', () => {
  it('is told neither by the next process nor after a restart, and its end is', async () => {
    const first = openBook();
    first.look(0, [away]);
    first.look(120, [away]);
    first.take(oncall);
    await first.write();
    const second = openBook(first.saved);
    second.look(0, [away]);
    second.look(600, [away]);
    expect(second.take(oncall)).toEqual([]);
    second.look(120, []);
    expect(second.take(oncall)).toEqual(['store-away influx recovered']);
  });

  it('is still told by the next process to a webhook that has not taken it', async () => {
    const first = openBook();
    first.look(0, [away]);
    first.look(120, [away]);
    first.take(oncall);
    first.look(120, []);
    await first.write();
    const second = openBook(first.saved);
    expect(second.take(oncall)).toEqual(['store-away influx recovered']);
    expect(second.take(webhookOf('other'))).toEqual([
      'store-away influx opened',
      'store-away influx recovered',
    ]);
  });

  it('is forgotten when every webhook knows that it is over, or after a day', async () => {
    const { book, look, take, write, saved } = openBook();
    const other = webhookOf('other');
    look(0, [away]);
    look(120, [away]);
    look(120, []);
    take(oncall);
    book.settle([oncall, other]);
    await write();
    expect(saved.size).toBe(1);
    look(86_401, []);
    await write();
    expect(saved.size).toBe(0);
    expect(take(other)).toEqual([]);
  });

  it('stays to be written while the ledger fails', async () => {
    const { book, look, take, write, saved } = openBook();
    look(0, [away]);
    look(120, [away]);
    const fail = async () => {
      throw new Error('Postgres is away');
    };
    await expect(book.write({ save: fail, remove: fail })).rejects.toThrow('away');
    take(oncall);
    await write();
    expect([...saved.values()]).toMatchObject([{ told: { oncall: 'opened' }, recoveredAt: undefined }]);
  });
});

describe('a webhook', () => {
  it('is told only the events that it asked for', () => {
    const { look, take } = openBook();
    const all = [away, noticed('gaps'), noticed('paused', '*')];
    look(0, all);
    look(120, all);
    expect(take(webhookOf('some', ['gaps', 'recovered']))).toEqual(['gaps influx opened']);
    expect(take(webhookOf('openings', ['paused']))).toEqual(['paused * opened']);
    look(120, []);
    expect(take(webhookOf('some', ['gaps', 'recovered']))).toEqual(['gaps influx recovered']);
    expect(take(webhookOf('openings', ['paused']))).toEqual([]);
  });

  it('is not told that it cannot be reached itself', () => {
    const { look, take } = openBook();
    const failing = noticed('webhook-failing', 'webhook:oncall');
    look(0, [failing]);
    look(120, [failing]);
    expect(take(oncall)).toEqual([]);
    expect(take(webhookOf('other'))).toEqual(['webhook-failing webhook:oncall opened']);
  });

  it('that takes nothing does not let notices pile up without bound', () => {
    const { book, look } = openBook();
    for (let k = 0; k < 1_200; k++) {
      const one = noticed('job-overdue', `job ${k}`);
      look(1, [one]);
      look(120, [one]);
      look(120, []);
    }
    let waiting = 0;
    const counter = webhookOf('counter');
    for (let next = book.nextFor(counter); next !== undefined; next = book.nextFor(counter)) {
      book.noteTaken(next, counter);
      waiting += 1;
    }
    expect(waiting).toBeLessThanOrEqual(2_000);
  });
});
