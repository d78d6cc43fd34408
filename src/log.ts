import { destination, type Logger, pino } from 'pino';
import { type LogEntry, renderJson, renderText, type TextLook } from './log-entry.ts';
import { RepeatLimit } from './log-repeats.ts';
import type { Redact } from './redact.ts';

export type { Logger } from 'pino';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ['auto', 'json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LogOptions {
  readonly level: LogLevel;
  /** How text for people looks. Undefined for JSON. */
  readonly text?: TextLook | undefined;
  readonly redact?: Redact;
  /** Writes whole lines at once. The default writes to the stderr of the process. */
  readonly write?: (lines: string) => void;
}

/** A log, and its end. The end says the repeated warnings that nobody has been told yet. */
export interface OpenLog {
  readonly log: Logger;
  close(): void;
}

/** A line that cannot be written waits for the next one. Lines beyond this many bytes are dropped. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** Matches a text within a line of JSON. */
const JSON_TEXT = /"(?:[^"\\]|\\.)*"/g;

/**
 * Opens the log on stderr, so that stdout stays free for a command's own output. An entry is a line of JSON,
 * or text for people. No entry holds a secret that `redact` knows, or a character that steers a terminal.
 *
 * A warning or error that repeats is said once, and then once a minute with a count. With the level `debug`
 * or `trace` each entry is said.
 */
export function openLog({
  level,
  text,
  redact = (whole) => whole,
  write = openStderr(),
}: LogOptions): OpenLog {
  const render = text === undefined ? renderJson : (entry: LogEntry) => renderText(entry, text);
  const show = (entry: LogEntry) => write(render(entry));
  const repeats = new RepeatLimit(show, Date.now);
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write(line: string) {
        const entry: LogEntry = JSON.parse(redactLine(line, redact));
        if (log.isLevelEnabled('debug') || repeats.allows(entry)) show(entry);
      },
    },
  );
  return { log, close: () => repeats.close() };
}

/** Opens the stderr of the process. It writes at once, so that no line is lost at a sudden end. */
function openStderr(): (lines: string) => void {
  const stream = destination({ fd: 2, sync: true, maxLength: MOST_WAITING_BYTES });
  // A log that cannot be written any more (a full disk, a closed pipe) must not end the work.
  stream.on('error', () => undefined);
  return (lines) => void stream.write(lines);
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
