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

/** Alarms per run that the log names for replaced characters or retyped values. */
const MAX_NOTES = 20;

/** The alarms among the records of one read, and rejects for the other records. */
export interface TakenAlarms {
  readonly seen: SeenAlarm[];
  readonly rejects: Reject[];
}

/** Turns raw records into alarms, makes rejects of those that cannot be alarms, and watches their drift. */
export class AlarmIntake {
  readonly #ctx: SyncContext;
  readonly #normalize: ReturnType<typeof createRecordNormalizer>;
  readonly #drift = new DriftWatch(alarms);
  #notes = 0;

  constructor(ctx: SyncContext) {
    this.#ctx = ctx;
    this.#normalize = createRecordNormalizer(alarms, { parseInstant: ctx.parseInstant });
  }

  /**
   * Sorts records into alarms and rejects. In the ledger, `kind` says where rejects came from, and `range`
   * where they lie in the history.
   */
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

  /**
   * Returns the key of a record, for the reader that pages through records. Returns undefined if the record
   * cannot be an alarm.
   */
  keyOf(record: unknown): string | undefined {
    const normalized = this.#normalize(record);
    return 'reject' in normalized ? undefined : idOfAlarm(toSeenAlarm(normalized.row));
  }

  /**
   * Reports members that are new or of another type. A list may lack acknowledged alarms, so no member counts
   * as missing.
   */
  async reportDrift(): Promise<void> {
    const entries = this.#drift.report().filter(({ kind }) => kind !== 'missing');
    if (entries.length > 0) await reportDrift(this.#ctx, alarms, { entries, partly: true });
  }

  #note(alarm: SeenAlarm, { replaced, retyped }: NormalizedRecord): void {
    if (replaced.length + retyped.length === 0) return;
    this.#notes += 1;
    if (this.#notes > MAX_NOTES) return;
    const about = { stream: ALARMS, key: idOfAlarm(alarm), columns: [...replaced, ...retyped] };
    this.#ctx.log.warn(
      about,
      'characters that Postgres cannot store became U+FFFD, or a value of another type is kept in "extra"',
    );
  }
}

/** Names an unusable record for people, as far as its members tell. */
function nameOf(record: unknown): string {
  if (typeof record !== 'object' || record === null) return '';
  const { sourceObjName, sourcePropName, showName } = record as Record<string, unknown>;
  return keyText([sourceObjName, sourcePropName, showName]);
}
