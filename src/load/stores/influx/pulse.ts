import type { StorePulse } from '../store-kind.ts';
import { type InfluxOptions, resolveInfluxOptions } from './options.ts';
import { greet } from './prepare.ts';
import { openInfluxHttp } from './query-client.ts';

/** Opens the check of a server by `/ping`. `limitMs` is the longest wait for an answer. */
export function openInfluxPulse(options: InfluxOptions, { limitMs }: { limitMs: number }): StorePulse {
  const target = resolveInfluxOptions({ ...options, timeoutMs: limitMs });
  const http = openInfluxHttp(target);
  return {
    async feel() {
      await greet(http, target);
    },
    close: () => http.close(),
  };
}
