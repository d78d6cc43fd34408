import { readCurrentAlarms } from '../../extract/current-alarms.ts';
import type { PollTimes } from '../../ledger/alarm-polls.ts';
import { ensureAlarmTables } from '../../load/alarms/alarm-tables.ts';
import { changeAlarms } from '../../load/alarms/change-alarms.ts';
import { type AlarmPoll, applyPoll, type PollChanges } from '../../normalize/apply-alarm-poll.ts';
import { idOfAlarm } from '../../streams/alarm-row.ts';
import type { SyncContext } from '../context.ts';
import { recordRun } from '../record-run.ts';
import type { RunSummary } from '../run-summary.ts';
import { traceRows } from '../spans.ts';
import { ALARMS } from '../stream-names.ts';
import { AlarmIntake, type TakenAlarms } from './alarm-intake.ts';
import { pollScope } from './alarm-settings.ts';
import { queueEvents } from './deliver-events.ts';

/** Kind of the runs that poll the current alarms. */
export const ALARM_POLL = 'poll';

/** Kind of the rejects that come from polls. */
export const CURRENT_REJECT = 'current';
/** Most rejects of polls that are closed at once. More are never open. */
const MAX_CASES = 1_000_000;

export interface PollOptions {
  /** Whether missing alarms are cleared, however many they are. */
  readonly acceptDeletes?: boolean;
}

/** What one poll brought. */
interface Look extends TakenAlarms {
  readonly whole: boolean;
  /** The last poll of each filter, as known when this poll began. */
  readonly before: ReadonlyMap<string | null, PollTimes>;
  readonly beganAt: number;
  readonly endedAt: number;
}

type Decision = PollChanges & { readonly complete: boolean };

/**
 * Polls the current alarms. One transaction brings rows, events and outbox entries into Postgres, so that a
 * crash leaves all of them or none. Two complete polls in a row that do not show an alarm clear the alarm.
 */
export async function pollAlarms(context: SyncContext, options: PollOptions = {}): Promise<RunSummary> {
  return recordRun(context, { stream: ALARMS, kind: ALARM_POLL }, async (summary, ctx) => {
    const { alarms } = ctx.config;
    await ensureAlarmTables(ctx.db, ctx.schemas.data);
    const intake = new AlarmIntake(ctx);
    const before = await ctx.ledger.alarmPolls.readLast(ctx.db);
    const beganAt = ctx.clock();
    const request = {
      priorities: alarms.filter.priority,
      keyword: alarms.current.keyword,
      signal: ctx.signal,
    };
    const { records, problem } = await readCurrentAlarms(ctx.platform, request);
    const endedAt = ctx.clock();
    const taken = await intake.take(records, { kind: CURRENT_REJECT });
    const look = { ...taken, whole: problem === undefined, before, beganAt, endedAt };
    summary.records += records.length;
    if (problem !== undefined) summary.problems.push(problem);
    await change(ctx, look, { options, summary });
    await intake.reportDrift();
  });
}

async function change(
  ctx: SyncContext,
  look: Look,
  { options, summary }: { options: PollOptions; summary: RunSummary },
): Promise<void> {
  const { ledger } = ctx;
  const { filter } = pollScope(ctx.config);
  const write = () =>
    changeAlarms<Decision>(ctx.db, ctx.schemas, {
      keys: look.seen,
      openToo: true,
      decide: async (known, tx) => {
        const last = await ledger.alarmPolls.readLast(tx);
        // Another poll has stored newer results if the last poll is not the same as before. The times are
        // only compared for equality, since they come from the clocks of two machines.
        if (last.get(filter)?.endedAt !== look.before.get(filter)?.endedAt) return undefined;
        const poll = toPoll(ctx, look, { last, options });
        return { ...applyPoll(poll, known), complete: poll.complete };
      },
      commit: async (tx, events, { complete }) => {
        await ledger.rejects.add(look.rejects, tx);
        if (complete) await ledger.alarmPolls.note(filter, look, tx);
        await queueEvents(ctx, events, tx);
      },
    });
  const facts = { stream: ALARMS, rows: look.seen.length };
  const { inserted, updated, decision } = await traceRows(ctx, facts, write);
  summary.inserted += inserted;
  summary.updated += updated;
  if (decision === undefined) {
    summary.notes.push('another poll took place at the same time; the result of this poll is not used');
    return;
  }
  summary.rejects += look.rejects.length;
  const shown = new Set(look.seen.map(idOfAlarm));
  summary.unchanged += shown.size - decision.rows.filter((row) => shown.has(idOfAlarm(row))).length;
  if (decision.withheld !== undefined) summary.problems.push(describeWithheld(ctx, decision.withheld));
  if (decision.complete) await settleRejects(ctx);
}

function toPoll(
  { config }: SyncContext,
  { seen, rejects, whole, beganAt, endedAt }: Look,
  { last, options }: { last: ReadonlyMap<string | null, PollTimes>; options: PollOptions },
): AlarmPoll {
  return {
    seen,
    // A record that cannot be identified may be any of the alarms.
    complete: whole && rejects.length === 0,
    beganAt,
    endedAt,
    scope: pollScope(config),
    lastPolls: new Map([...last].map(([filter, { beganAt: at }]) => [filter, at])),
    maxClearShare: options.acceptDeletes ? 1 : config.limits.maxDeleteShare,
  };
}

function describeWithheld(
  { config }: SyncContext,
  { open, missing }: NonNullable<PollChanges['withheld']>,
): string {
  const share = Math.round(config.limits.maxDeleteShare * 100);
  return (
    `${missing} of ${open} active alarms are missing from the platform's list at once; none counts as cleared before the history confirms it. ` +
    `More alarms are missing than limits.maxDeleteShare (${share} %) allows. If they are really over: plantsync sync alarms --accept-deletes`
  );
}

/**
 * Closes the rejects of earlier polls. A complete poll has no rejects of its own, so the old ones did not
 * recur.
 */
async function settleRejects({ ledger }: SyncContext): Promise<void> {
  const cases = await ledger.rejects.list({ stream: ALARMS, kind: CURRENT_REJECT, limit: MAX_CASES });
  if (cases.length > 0) await ledger.rejects.resolve(cases);
}
