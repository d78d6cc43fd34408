import { type Logger, silentLog } from '../../src/log.ts';

/** A log, and what was written to it from `info` up: `error: Redis at …`. */
export function recordLog() {
  const entries: string[] = [];
  const note = (level: string) => (about: object | string, text?: string) =>
    void entries.push(`${level}: ${text ?? String(about)}`);
  const log = {
    ...silentLog,
    error: note('error'),
    warn: note('warn'),
    info: note('info'),
  } as never as Logger;
  return { entries, log };
}
