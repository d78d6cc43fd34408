import { type InfluxOptions, resolveInfluxOptions } from './influx-options.ts';
import { greet } from './prepare.ts';
import { openInfluxHttp } from './query-client.ts';

/** Asks the server now and then whether it is there; that takes no login and touches no data. */
export interface InfluxPulse {
  /** Rejects with a `StoreError` if it does not answer like an InfluxDB within the limit. */
  feel(): Promise<void>;
  close(): Promise<void>;
}

/** `limitMs` is the longest wait for an answer. */
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
