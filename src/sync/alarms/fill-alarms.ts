import { describeError } from '../../errors.ts';
import { askPlatformClock } from '../../extract/ask-platform-clock.ts';
import {
  type AlarmHistoryReply,
  type AlarmWindow,
  readAlarmHistory,
} from '../../extract/read-alarm-history.ts';
import { classifyFailure } from '../../extract/windows.ts';
import { ensureAlarmTables } from '../../load/alarms/alarm-tables.ts';
import { changeAlarms } from '../../load/alarms/change-alarms.ts';
import { applyHistory } from '../../normalize/apply-alarm-history.ts';
import { formatInstant } from '../../series/instant.ts';
import { rangeOf } from '../../series/window.ts';
import { idOfAlarm } from '../../streams/alarm-row.ts';
import type { SyncContext } from '../context.ts';
import { recordRun } from '../record-run.ts';
import type { RunSummary } from '../run-summary.ts';
import { describeNoWork } from '../selection/describe-no-work.ts';
import { askedOf, kindOfFill, rangesOf } from '../selection/fill-order.ts';
import { traceRows, traceWindow } from '../spans.ts';
import { ALARMS } from '../stream-names.ts';
import { loadTotals, type TotalsTrust } from '../trusted-totals.ts';
import { AlarmIntake } from './alarm-intake.ts';
import { ALARM_SERIES, historyName, pollScope } from './alarm-settings.ts';
import { AlarmWindows } from './alarm-windows.ts';
import { queueEvents } from './deliver-events.ts';
import { type AlarmOrder, planAlarms } from './plan-alarms.ts';

/** Kind of the rejects that come from the history. */
export const HISTORY_REJECT = 'history';
const OPERATION = 'listAlarmHistory';
/**
 * Most records of a window, since they are held in memory. A fuller window is divided before it is read to
 * its end.
 */
const MAX_RECORDS = 20_000;
/**
 * Windows that may fail in a row before the platform counts as faulty. Dividing a day into seconds takes
 * fewer failures.
 */
const MAX_FAILURES = 20;
/** Windows that may fail in a row while the platform has not answered for any window. */
const MAX_FIRST_FAILURES = 3;

/**
 * Fills the history of alarms: ranges that are wanted and not covered become windows, pages, and rows. One
 * transaction stores the rows, events and coverage of a window.
 */
export async function fillAlarms(context: SyncContext, order: AlarmOrder): Promise<RunSummary> {
  const run = { stream: ALARMS, kind: kindOfFill(order), asked: askedOf(order) };
  return recordRun(context, run, async (summary, ctx) => {
    await askPlatformClock(ctx);
    if (order.mode === 'increment' && order.again === 'lookback') summary.lookedBack = true;
    await ensureAlarmTables(ctx.db, ctx.schemas.data);
    const ranges = await planAlarms(ctx, order);
    if (order.mode === 'backfill' && ranges.length === 0)
      summary.notes.push(describeCoveredAlarms(ctx, order));
    const windows = new AlarmWindows(ranges);
    const reading = { intake: new AlarmIntake(ctx), totals: await loadTotals(ctx), windows, summary };
    await readWindows(ctx, reading);
    await reading.intake.reportDrift();
  });
}

/** Says in one sentence why an order for alarms reads no window. */
export function describeCoveredAlarms(ctx: SyncContext, order: AlarmOrder): string {
  const { wanted } = rangesOf(ctx, order, { history: ctx.config.alarms.history, stepSec: 1 });
  const isReadable = wanted.from < wanted.to;
  return describeNoWork({ mode: order.mode, isReadable, settle: 'alarms.history.settle' });
}

interface Reading {
  readonly intake: AlarmIntake;
  readonly totals: TotalsTrust;
  readonly windows: AlarmWindows;
  readonly summary: RunSummary;
}

/**
 * Reads one window after the other. A window that fails is divided. The parts that fail to the end stay
 * uncovered, and become problems.
 */
async function readWindows(ctx: SyncContext, reading: Reading): Promise<void> {
  const { windows, totals, summary } = reading;
  const line = ctx.progress.start(ALARMS, windows.restSec / 3600, 'hours');
  const failures = { inARow: 0, answered: false };
  const unproven: { readonly window: AlarmWindow; readonly problem: string }[] = [];
  const readOrDivide = async (window: AlarmWindow) => {
    ctx.signal.throwIfAborted();
    const read = () => readWindow(ctx, reading, window);
    const lack = await traceWindow(ctx, { stream: ALARMS, window }, read).catch((error: unknown) => {
      failures.inARow += 1;
      const most = failures.answered ? MAX_FAILURES : MAX_FIRST_FAILURES;
      if (classifyFailure(error) === 'stop' || failures.inARow > most) throw error;
      return { problem: describeError(error), isFinal: false };
    });
    if (lack === undefined) Object.assign(failures, { inARow: 0, answered: true });
    else if (!lack.isFinal && windows.divide(window)) return;
    else unproven.push({ window, problem: lack.problem });
    line.add((window.toSec - window.fromSec) / 3600);
  };
  let ending: string | undefined = 'failed';
  try {
    const trustedFirst = totals.isTrusted(OPERATION);
    for (let window = windows.take(); window !== undefined; window = windows.take())
      await readOrDivide(window);
    // Later windows may have shown that totals are wrong. An empty window with a total is believed then.
    const again = trustedFirst && !totals.isTrusted(OPERATION) ? unproven.splice(0) : [];
    for (const { window } of again) await readOrDivide(window);
    ending = undefined;
  } finally {
    summary.problems.push(...unproven.map(describeLost));
    line.finish(ctx.signal.aborted ? 'interrupted' : ending);
  }
}

/** Why a window is not proven to be complete, and whether its halves would be no better. */
interface Lack {
  readonly problem: string;
  readonly isFinal: boolean;
}

/**
 * Reads a window and stores its alarms. Returns what is not proven about the window. Returns undefined if the
 * reply is complete.
 */
async function readWindow(
  ctx: SyncContext,
  reading: Reading,
  window: AlarmWindow,
): Promise<Lack | undefined> {
  const { alarms, platform } = ctx.config;
  const { intake, totals, windows } = reading;
  const reply = await readAlarmHistory(ctx.platform, {
    ...window,
    priorities: alarms.filter.priority,
    keyword: alarms.history.keyword,
    pageSize: platform.pageSize,
    trustTotal: totals.isTrusted(OPERATION),
    keyOf: (record) => intake.keyOf(record),
    maxRecords: MAX_RECORDS,
    signal: ctx.signal,
  });
  if (reply.totalIsWrong) await totals.distrust(OPERATION);
  windows.note(window, reply.records.length);
  await store(ctx, reading, { window, reply });
  const { problem, isFinal = false } = reply;
  return problem === undefined ? undefined : { problem, isFinal };
}

/**
 * Stores the alarms that came in any case. The window counts as covered only if the reply is proven complete.
 */
async function store(
  ctx: SyncContext,
  { intake, summary }: Reading,
  { window, reply }: { window: AlarmWindow; reply: AlarmHistoryReply },
): Promise<void> {
  const { config, ledger } = ctx;
  const range = rangeOf(window);
  const covered = {
    store: ctx.postgresStore.id,
    stream: historyName(config),
    seriesIds: [ALARM_SERIES],
    range,
  };
  const { seen, rejects } = await intake.take(reply.records, { kind: HISTORY_REJECT, range });
  const polled = config.alarms.current.enabled ? pollScope(config) : undefined;
  const endedAt = ctx.clock();
  const { inserted, updated } = await traceRows(ctx, { stream: ALARMS, rows: seen.length }, () =>
    changeAlarms(ctx.db, ctx.schemas, {
      keys: seen,
      openToo: false,
      decide: async (known) => applyHistory({ seen, endedAt, polled }, known),
      commit: async (tx, events) => {
        await ledger.rejects.add(rejects, tx);
        if (reply.problem === undefined) await ledger.coverage.add(covered, tx);
        await queueEvents(ctx, events, tx);
      },
    }),
  );
  summary.records += reply.records.length;
  summary.inserted += inserted;
  summary.updated += updated;
  summary.unchanged += new Set(seen.map(idOfAlarm)).size - inserted - updated;
  summary.rejects += rejects.length;
}

function describeLost({ window, problem }: { window: AlarmWindow; problem: string }): string {
  const { fromSec, toSec } = window;
  return `alarms from ${formatInstant(fromSec * 1e6)} to ${formatInstant(toSec * 1e6)} cannot be read: ${problem}`;
}
