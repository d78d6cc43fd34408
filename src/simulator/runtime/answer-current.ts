import { notFound, parameterError } from '../refused-call.ts';
import type { Signal } from '../signals/signal.ts';
import { readLast, seenAt } from '../signals/signal.ts';
import type { SimulatorDialect } from '../simulator-dialect.ts';
import { timeWriter } from '../time-format.ts';
import { isRecord, type Value } from '../values.ts';
import type { Answer, World } from '../world.ts';
import { objectPart } from './select.ts';
import { valueWriter } from './write-value.ts';

/** The last value of a series at an instant, with its time. */
export interface LastValue {
  readonly timeMs: number;
  readonly value: Value;
}

/**
 * Answers a request for current values. A missing property is null, and a missing object is an error.
 */
export function answerCurrent(world: World, body: unknown): Answer {
  const { dialect } = world;
  const names = isRecord(body) ? body[dialect.currentMember] : undefined;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw parameterError(`${dialect.currentMember} must be an array of texts`);
  const values = new Map<string, LastValue | undefined>();
  for (const name of names) {
    const found = world.plant.findSeries(name);
    if (!found) return missing(objectPart(name), dialect);
    values.set(name, found.signal && lastValue(world, found.signal));
  }
  return { json: writeCurrent(values, dialect) };
}

/** Returns the value that a series has now. Returns undefined before its first point. */
function lastValue({ nowMs, dialect }: World, signal: Signal): LastValue | undefined {
  const now = nowMs();
  const { times, values } = readLast(seenAt(signal, now, dialect.lateBySec * 1000), 0, now + 1, 1);
  return times[0] === undefined ? undefined : { timeMs: times[0], value: values[0] ?? null };
}

function missing(object: string, dialect: SimulatorDialect): Answer {
  const refusal = notFound('object', object);
  if (dialect.missingObject === 'refused') throw refusal;
  return { body: { code: refusal.code, message: refusal.message } };
}

function writeCurrent(values: ReadonlyMap<string, LastValue | undefined>, dialect: SimulatorDialect): string {
  const value = valueWriter(dialect);
  const time = timeWriter(dialect.historyTimes, dialect.zone);
  const members = [...values].map(([name, last]) => {
    const bare = value(last?.value ?? null);
    const wrapped = `{"value":${bare},"status":${last ? 0 : 1},"timeStamp":${last ? time(last.timeMs) : 'null'}}`;
    return `${JSON.stringify(spelled(name, dialect))}:${dialect.currentReply === 'flat' ? bare : wrapped}`;
  });
  const map = `{${members.join(',')}}`;
  return dialect.currentReply === 'flat' ? map : `{"code":"800000","message":"success","data":${map}}`;
}

function spelled(name: string, { currentNames }: SimulatorDialect): string {
  if (currentNames === 'quoted') return `"${name}"`;
  return currentNames === 'prefixed' ? `plant.${name}` : name;
}
