import { Breaks } from '../../breaks.ts';
import type { Reject } from '../../ledger/rejects/rejects.ts';
import { toSeenAlarm } from '../../normalize/alarm-twins.ts';
import { DriftWatch } from '../../normalize/drift-watch.ts';
import { createRecordNormalizer, type NormalizedRecord } from '../../normalize/records.ts';
import { sampleOf } from '../../normalize/text.ts';
import type { Range } from '../../series/types.ts';
import { idOfAlarm, type SeenAlarm } from '../../streams/alarm-row.ts';
import { alarms } from '../../streams/alarms.ts';
import { keyText } from '../../streams/row-key.ts';
import type { SyncContext } from '../context.ts';
import { reportDrift } from '../report-drift.ts';
import { ALARMS } from '../stream-names.ts';

/** Alarms that came with replaced characters or retyped values and are named in the log, per run. */
const MAX_NOTES = 20;

/** The records of one read, as far as they can be alarms. */
export interface TakenAlarms {
  readonly seen: SeenAlarm[];
  readonly rejects: Reject[];
}

/** Turns raw records into alarms, keeps those that can be none, and watches how they differ from what is declared. */
export class AlarmIntake {
  readonly #ctx: SyncContext;
  readonly #normalize: ReturnType<typeof createRecordNormalizer>;
  readonly #drift = new DriftWatch(alarms);
  #notes = 0;

  constructor(ctx: SyncContext) {
    this.#ctx = ctx;
    this.#normalize = createRecordNormalizer(alarms, { parseInstant: ctx.parseInstant });
  }

  /** `kind` says in the ledger where unusable records came from; `range` where in the history they lie. */
  async take(
    records: readonly unknown[],
    { kind, range }: { kind: string; range?: Range },
  ): Promise<TakenAlarms> {
    const taken: TakenAlarms = { seen: [], rejects: [] };
    const breaks = new Breaks();
    for (const record of records) {
      if (breaks.due) await breaks.take();
      const normalized = this.#normalize(record);
      this.#drift.take(record, normalized);
      if ('reject' in normalized) {
        const about = { stream: ALARMS, kind, key: nameOf(record), reason: normalized.reject };
        taken.rejects.push({ ...about, sample: sampleOf(record), ...(range && { range }) });
        continue;
      }
      const alarm = toSeenAlarm(normalized.row);
      this.#note(alarm, normalized);
      taken.seen.push(alarm);
    }
    return taken;
  }

  /** The key of a record, for whoever pages through them. */
  keyOf(record: unknown): string | undefined {
    const normalized = this.#normalize(record);
    return 'reject' in normalized ? undefined : idOfAlarm(toSeenAlarm(normalized.row));
  }

  /** Reports members that are new or of another type. A list need not hold acknowledged alarms, so none counts as missing. */
  async reportDrift(): Promise<void> {
    const entries = this.#drift.report().filter(({ kind }) => kind !== 'missing');
    if (entries.length > 0) await reportDrift(this.#ctx, alarms, { entries, partly: true });
  }

  #note(alarm: SeenAlarm, { replaced, retyped }: NormalizedRecord): void {
    if (replaced.length + retyped.length === 0) return;
    this.#notes += 1;
    if (this.#notes > MAX_NOTES) return;
    const about = { stream: ALARMS, key: idOfAlarm(alarm), columns: [...replaced, ...retyped] };
    this.#ctx.log.warn(about, 'characters became U+FFFD, or a value of another type is kept in "extra"');
  }
}

/** What people know an unusable record by, as far as it tells. */
function nameOf(record: unknown): string {
  if (typeof record !== 'object' || record === null) return '';
  const { sourceObjName, sourcePropName, showName } = record as Record<string, unknown>;
  return keyText([sourceObjName, sourcePropName, showName]);
}
