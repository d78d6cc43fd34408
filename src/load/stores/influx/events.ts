import { formatInstant } from '../../../series/instant.ts';
import type { PlacedAlarmEvent } from '../../../streams/alarm-row.ts';
import type { EventStore, RefusedEvent } from '../store.ts';
import { type Chunk, chunkOf, type OwnedLine } from './chunks.ts';
import { encodeKey, quoteField, reasonOfLength } from './line-protocol.ts';
import type { InfluxTarget } from './options.ts';
import { collectRefusals, type InfluxRefusals } from './refused-points.ts';

/**
 * The most characters of a field. InfluxDB 1.x takes 64 KiB, and a description of several screens says no
 * more.
 */
const MAX_FIELD_CHARACTERS = 16_000;

type WriteChunk = (chunk: Chunk, refusals: InfluxRefusals) => Promise<void>;

/**
 * Encodes the line of an event. Its tags tell the event apart from all others of the same instant, so it
 * stays one point however often it is written. `place` is a tag only where no other tag tells events apart. A
 * `place` of 0 is left out.
 */
export function encodeEvent(
  { alarmMeasurement, tags }: Pick<InfluxTarget, 'alarmMeasurement' | 'tags'>,
  event: PlacedAlarmEvent,
): { readonly line: string; readonly refused: string | undefined } {
  const key = encodeKey(alarmMeasurement, {
    ...tags,
    object: event.object,
    property: event.property,
    name: event.show_name,
    alarm_type: event.alarm_type,
    priority: event.priority === null ? '' : String(event.priority),
    transition: event.transition,
    place: event.place === 0 ? '' : String(event.place),
  });
  const fields = [
    ['started_at', formatInstant(event.started_at)],
    ['value', event.value],
    ['description', event.description],
    ['username', event.username],
  ] as const;
  const written = fields.flatMap(([name, text]) =>
    text === null || text === '' ? [] : [`${name}=${quoteField(text.slice(0, MAX_FIELD_CHARACTERS))}`],
  );
  return { line: `${key} ${written.join(',')} ${event.at}`, refused: reasonOfLength(key) };
}

/**
 * Creates the store for the events of alarms in one InfluxDB. `writeChunk` writes lines and adds refused
 * lines to the refusals.
 */
export function createEventStore(
  target: InfluxTarget,
  { id, writeChunk }: { id: string; writeChunk: WriteChunk },
): EventStore {
  return {
    id,
    async write(events) {
      const refused: RefusedEvent[] = [];
      for (let from = 0; from < events.length; from += target.batchLines) {
        const part = events.slice(from, from + target.batchLines);
        refused.push(...(await writePart(target, part, writeChunk)));
      }
      return { written: events.length - refused.length, refused };
    },
  };
}

/**
 * Writes a part of the events. Refusals are kept by series, so each event gets a series with its position as
 * number.
 */
async function writePart(
  target: InfluxTarget,
  events: readonly PlacedAlarmEvent[],
  writeChunk: WriteChunk,
): Promise<RefusedEvent[]> {
  const tooLong: RefusedEvent[] = [];
  const lines: OwnedLine[] = [];
  for (const [position, event] of events.entries()) {
    const { line, refused } = encodeEvent(target, event);
    if (refused === undefined) {
      const { object, property } = event;
      lines.push({ line, owner: { id: position, object, property, primitiveType: null } });
    } else tooLong.push({ event, reason: refused });
  }
  const refusals = collectRefusals();
  if (lines.length > 0) await writeChunk(chunkOf(lines), refusals);
  const byServer = refusals.list().flatMap(({ seriesId, reason }) => {
    const event = events[seriesId];
    return event === undefined ? [] : [{ event, reason }];
  });
  return [...tooLong, ...byServer];
}
