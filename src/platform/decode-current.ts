import { complaintBeside } from './complaint.ts';
import { MalformedReply } from './failure.ts';
import { AskedNames } from './history/series-name.ts';
import { isObject } from './json/is-object.ts';
import type { CurrentValue } from './platform.ts';

/** The most names that a reply may hold without being asked for them. */
const MAX_UNKNOWN = 10_000;

/** Current values by asked name, and the names in the reply that were not asked for. */
export interface DecodedCurrent {
  readonly values: ReadonlyMap<string, CurrentValue>;
  readonly unknownNames: readonly string[];
  readonly complains: boolean;
}

/** Members of a reply that say something about the reply itself. */
const envelope = new Set(['code', 'message', 'msg', 'error', 'success']);

/**
 * Reads a reply of current values. The reply is the flat map `{"obj.prop": value}`, or `{code, message, data:
 * {"obj.prop": {value, status, timeStamp}}}`. A name in another spelling is matched by its ending. In the
 * specification a null says that the property does not exist. Next to a complaint a null may be what the
 * complaint is about, so the null is left out. Throws `MalformedReply` if the reply is not such a map.
 */
export function decodeCurrent(body: unknown, names: readonly string[]): DecodedCurrent {
  if (!isObject(body)) throw new MalformedReply('the reply is not an object of values');
  const asked = new Set(names);
  const wrapped = !asked.has('data') && 'data' in body;
  const data = wrapped ? (body.data ?? {}) : body;
  if (!isObject(data)) throw new MalformedReply('the member data of the reply is not an object of values');
  const complains = complaintBeside(body) !== undefined;
  const values = new Map<string, CurrentValue>();
  const unknownNames: string[] = [];
  const askedNames = new AskedNames(asked);
  for (const [key, entry] of Object.entries(data)) {
    const name = askedNames.match(key)?.name;
    // In the flat form these members stand between the values.
    if (!wrapped && name === undefined && envelope.has(key)) continue;
    if (unknownNames.length > MAX_UNKNOWN)
      throw new MalformedReply(`the reply holds more than ${MAX_UNKNOWN} names that were not asked for`);
    if (name === undefined || (values.has(name) && key !== name)) unknownNames.push(key);
    else values.set(name, readValue(name, entry, wrapped));
  }
  if (complains) for (const { name, value } of [...values.values()]) if (value === null) values.delete(name);
  return { values, unknownNames, complains };
}

function readValue(name: string, entry: unknown, wrapped: boolean): CurrentValue {
  // In the flat form an object is a value of its own.
  if (!wrapped || !isObject(entry) || !('value' in entry))
    return { name, value: entry, status: undefined, time: undefined };
  return {
    name,
    value: entry.value,
    status: entry.status,
    time: entry.timeStamp ?? entry.timestamp,
  };
}
