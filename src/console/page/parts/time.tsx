import { formatDuration, formatShortTime, formatTime } from '../app/format.ts';
import { zone } from '../app/settings.ts';
import { shell } from '../texts/shell.ts';

/** A time in the zone that is chosen. The tip has its zone, and the time in UTC. */
export function Time({ at, isLong = false }: { at: string; isLong?: boolean }) {
  return (
    <time dateTime={at} title={`${formatTime(at)} ${zone.value} · ${at}`}>
      {isLong ? formatTime(at) : formatShortTime(at)}
    </time>
  );
}

/** How long ago a time was, or how far ahead it is. */
export function Ago({ at, now = Date.now() }: { at: string; now?: number }) {
  const sec = (now - Date.parse(at)) / 1000;
  const span = formatDuration(Math.abs(sec));
  return (
    <time dateTime={at} title={`${formatTime(at)} ${zone.value}`}>
      {sec >= 0 ? shell.value.ago(span) : shell.value.in(span)}
    </time>
  );
}
