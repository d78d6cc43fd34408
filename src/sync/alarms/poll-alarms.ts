import { readCurrentAlarms } from '../../extract/current-alarms.ts';
import type { PollTimes } from '../../ledger/alarm-polls.ts';
import { ensureAlarmTables } from '../../load/alarms/alarm-tables.ts';
import { changeAlarms } from '../../load/alarms/change-alarms.ts';
import { type AlarmPoll, applyPoll, type PollChanges } from '../../normalize/apply-alarm-poll.ts';
import { idOfAlarm } from '../../streams/alarm-row.ts';
import type { SyncContext } from '../context.ts';
import { recordRun } from '../record-run.ts';
import type { RunSummary } from '../run-summary.ts';
import { ALARMS } from '../stream-names.ts';
import { AlarmIntake, type TakenAlarms } from './alarm-intake.ts';
import { pollScope } from './alarm-settings.ts';
import { queueEvents } from './deliver-events.ts';

/** Kind of the runs that look at the current alarms. */
export const ALARM_POLL = 'poll';

/** Kind of the rejects of polls. */
export const CURRENT_REJECT = 'current';
/** More cases than are ever open. */
const MAX_CASES = 1_000_000;

export interface PollOptions {
  /** Clears alarms that are missing, however many they are. */
  readonly acceptDeletes?: boolean;
}

/** What one look brought. */
interface Look extends TakenAlarms {
  readonly whole: boolean;
  /** The last polls when it began. */
  readonly before: ReadonlyMap<string | null, PollTimes>;
  readonly beganAt: number;
  readonly endedAt: number;
}

type Decision = PollChanges & { readonly complete: boolean };

/**
 * Looks at the current alarms and brings rows, events and what other stores still have to get into Postgres in one transaction, so
 * that a crash leaves all of it or nothing. Two complete polls in a row that do not show an alarm clear it.
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
  const { inserted, updated, decision } = await changeAlarms<Decision>(ctx.db, ctx.schemas, {
    keys: look.seen,
    openToo: true,
    decide: async (known, tx) => {
      const last = await ledger.alarmPolls.readLast(tx);
      // A poll beside this one has told more since. By what it wrote, not by its time: that is of the clock of its machine.
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
  summary.inserted += inserted;
  summary.updated += updated;
  if (decision === undefined) {
    summary.notes.push('another poll was under way: this one is left out');
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
    // An entry that cannot be told may be any of the alarms.
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
    `${missing} of ${open} active alarms are missing from the platform's list at once; none counts as cleared before the history confirms ` +
    `it, because that is more than limits.maxDeleteShare (${share} %). If they are really over: plantsync sync alarms --accept-deletes`
  );
}

/** What polls could not use, and a complete one does not meet any more, is settled: its own rejects were none. */
async function settleRejects({ ledger }: SyncContext): Promise<void> {
  const cases = await ledger.rejects.list({ stream: ALARMS, kind: CURRENT_REJECT, limit: MAX_CASES });
  if (cases.length > 0) await ledger.rejects.resolve(cases);
}
