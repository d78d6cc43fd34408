import { destination, type Logger, pino } from 'pino';
import type { Redact } from './redact.ts';
import { showControls } from './shown-text.ts';

export type { Logger } from 'pino';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** A line that cannot be written waits for the next one. Lines beyond this many bytes are dropped. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** Matches a text within a line of JSON. */
const JSON_TEXT = /"(?:[^"\\]|\\.)*"/g;

/**
 * Opens the log: one JSON line per entry on stderr, so that stdout stays free for a command's own output. No
 * entry holds a secret that `redact` knows, or a character that steers a terminal.
 */
export function openLog(level: LogLevel, redact: Redact = (text) => text): Logger {
  const stream = destination({ fd: 2, sync: true, maxLength: MOST_WAITING_BYTES });
  // A log that cannot be written any more (a full disk, a closed pipe) must not end the work.
  stream.on('error', () => undefined);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => showControls(redactLine(line, redact)) },
    },
    stream,
  );
}

/** Takes secrets out of the texts of a line of JSON. Numbers and structure stay as they are. */
export function redactLine(line: string, redact: Redact): string {
  if (redact(line) === line) return line;
  return line.replace(JSON_TEXT, (quoted) => {
    const text: string = JSON.parse(quoted);
    const redacted = redact(text);
    return redacted === text ? quoted : JSON.stringify(redacted);
  });
}

/** A log that drops everything, for tests and for `--log-level silent`. */
export const silentLog: Logger = pino({ level: 'silent' });
