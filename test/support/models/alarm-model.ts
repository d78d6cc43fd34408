import fc from 'fast-check';

/** An alarm of a model plant. Times are whole seconds from the start of the model. */
export interface ModelAlarm {
  readonly raised: number;
  readonly cleared: number | undefined;
  readonly acknowledged: number | undefined;
  readonly priority: number;
  /** The number of alarms, with this one, that are equal in all that tells alarms apart. */
  readonly twins: number;
}

export interface ModelStep {
  /**
   * `lost`: the platform fails. `killed`: the process dies before it commits. `garbled`: one entry is no
   * alarm.
   */
  readonly kind: 'poll' | 'lost' | 'killed' | 'garbled' | 'history' | 'history killed';
  /** The priorities asked for. Undefined for all. */
  readonly priority: readonly number[] | undefined;
  /** Seconds since the step before. */
  readonly after: number;
}

export const modelAlarm: fc.Arbitrary<ModelAlarm> = fc
  .record({
    raised: fc.integer({ min: 0, max: 60 }),
    life: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
    delay: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
    priority: fc.integer({ min: 1, max: 2 }),
    twins: fc.constantFrom(1, 1, 1, 2),
  })
  .map(({ raised, life, delay, priority, twins }) => ({
    raised,
    cleared: life === undefined ? undefined : raised + life,
    acknowledged: delay === undefined ? undefined : raised + delay,
    priority,
    twins,
  }));

export const modelStep: fc.Arbitrary<ModelStep> = fc.record({
  kind: fc.constantFrom('poll', 'poll', 'poll', 'lost', 'killed', 'garbled', 'history', 'history killed'),
  priority: fc.constantFrom(undefined, undefined, [1], [2], [1, 2]),
  after: fc.integer({ min: 2, max: 10 }),
});

/** Tells whether the list of current alarms shows an alarm. */
export function isCurrent({ raised, cleared }: ModelAlarm, at: number): boolean {
  return raised <= at && (cleared === undefined || cleared > at);
}

/**
 * Returns the record of an alarm as the platform shows it at a second. The name is different for each alarm.
 */
export function recordOf(
  alarm: ModelAlarm,
  name: number,
  { at, asText }: { at: number; asText: boolean },
): object {
  const code = (is: boolean) => (asText ? String(Number(is)) : Number(is));
  const isAcknowledged = alarm.acknowledged !== undefined && alarm.acknowledged <= at;
  return {
    sourceObjName: `pump${name}`,
    sourcePropName: 'temp',
    showName: 'hot',
    alarmType: 'GT',
    startTime: isoOf(alarm.raised),
    priority: alarm.priority,
    status: code(isCurrent(alarm, at)),
    ackStatus: code(isAcknowledged),
    ...(isAcknowledged && { ackTime: isoOf(alarm.acknowledged ?? 0), ackUserName: 'lina' }),
  };
}

/** Time 0 of the model, in epoch milliseconds. */
export const MODEL_START_MS = Date.UTC(2024, 4, 1);

export function isoOf(second: number): string {
  return new Date(MODEL_START_MS + second * 1000).toISOString();
}
