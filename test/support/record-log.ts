import { type Logger, openLog } from '../../src/log.ts';

/**
 * Opens a log that records what it says from `info` up, such as `error: Redis at …`, and the codes. As in the
 * log of a service, an error that repeats is said once.
 */
export function recordLog(): { entries: string[]; codes: Set<unknown>; log: Logger } {
  const entries: string[] = [];
  const codes = new Set<unknown>();
  const write = (line: string): void => {
    const { level, msg, code } = JSON.parse(line);
    entries.push(`${level}: ${msg}`);
    if (code !== undefined) codes.add(code);
  };
  const { log } = openLog({ level: 'info', write });
  return { entries, codes, log };
}
