import type { RefusedEvent } from '../../../../src/load/stores/store.ts';
import type { PlacedAlarmEvent } from '../../../../src/streams/alarm-row.ts';
import { appendLines } from './append.ts';
import { encodeLine } from './lines.ts';
import { MAX_LINE_CHARACTERS } from './write.ts';

/** Writes events to a file; resolves when the disk has all that were not refused. */
export async function writeEvents(
  path: string,
  events: readonly PlacedAlarmEvent[],
): Promise<{ written: number; refused: RefusedEvent[] }> {
  const lines: string[] = [];
  const refused: RefusedEvent[] = [];
  for (const event of events) {
    const line = lineOf(event);
    if (line.length <= MAX_LINE_CHARACTERS) lines.push(line);
    else refused.push({ event, reason: `a line takes at most ${MAX_LINE_CHARACTERS} characters` });
  }
  if (lines.length > 0) await appendLines(path, `${lines.join('\n')}\n`);
  return { written: lines.length, refused };
}

function lineOf(event: PlacedAlarmEvent): string {
  const { object, property, show_name: name, alarm_type, priority, transition, place, at } = event;
  const texts = { value: event.value, description: event.description, username: event.username };
  const given = Object.entries(texts).filter((field): field is [string, string] => field[1] !== null);
  return encodeLine({
    measurement: 'alarm_events',
    tags: {
      object,
      property,
      name,
      alarm_type,
      priority: String(priority),
      transition,
      place: String(place),
    },
    fields: { started_at: event.started_at, ...Object.fromEntries(given) },
    at,
  });
}
