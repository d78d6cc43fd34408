import { destination, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Opens the log: one JSON line per entry on stderr, so that stdout stays free for a command's own output. */
export function openLog(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    destination({ fd: 2, sync: true }),
  );
}

/** A log that drops everything, for tests and for `--log-level silent`. */
export const silentLog: Logger = pino({ level: 'silent' });
