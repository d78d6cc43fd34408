import { type Logger, silentLog } from '../../src/log.ts';

/** Creates a log that records its entries from `info` up, such as `error: Redis at …`, and their codes. */
export function recordLog() {
  const entries: string[] = [];
  const codes = new Set<unknown>();
  const note = (level: string) => (about: object | string, text?: string) => {
    entries.push(`${level}: ${text ?? String(about)}`);
    if (typeof about === 'object' && 'code' in about) codes.add(about.code);
  };
  const log = {
    ...silentLog,
    error: note('error'),
    warn: note('warn'),
    info: note('info'),
  } as never as Logger;
  return { entries, codes, log };
}
