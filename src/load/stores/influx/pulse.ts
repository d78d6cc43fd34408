import { type InfluxOptions, resolveInfluxOptions } from './options.ts';
import { greet } from './prepare.ts';
import { openInfluxHttp } from './query-client.ts';

/** Checks whether the server answers. The check needs no login and touches no data. */
export interface InfluxPulse {
  /** Rejects with a `StoreError` if the server does not answer like an InfluxDB within the limit. */
  feel(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the check of a server. `limitMs` is the longest wait for an answer. */
export function openInfluxPulse(options: InfluxOptions, { limitMs }: { limitMs: number }): InfluxPulse {
  const target = resolveInfluxOptions({ ...options, timeoutMs: limitMs });
  const http = openInfluxHttp(target);
  return {
    async feel() {
      await greet(http, target);
    },
    close: () => http.close(),
  };
}
