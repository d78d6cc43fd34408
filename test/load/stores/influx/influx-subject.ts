import type { InfluxOptions } from '../../../../src/load/stores/influx/options.ts';
import type { ConfiguredStore } from '../../../../src/load/stores/store-kind.ts';
import { STORE_KINDS } from '../../../../src/load/stores/store-kinds.ts';
import { silentLog } from '../../../../src/log.ts';
import { askInflux } from '../../../support/influx/ask-influx.ts';
import { seriesPoints, type TestPoint } from '../../../support/influx/influx-points.ts';
import { openInfluxReader } from '../../../support/influx/influx-reader.ts';
import { configOf } from '../store-config.ts';
import type { Apart } from '../store-contract.ts';

const always = { from: 0, to: 4e15 };

/** Makes InfluxDB of any version the subject of the contract. `dropPlace` drops its database or bucket. */
export async function makeInfluxSubject(
  options: InfluxOptions,
  dropPlace: () => Promise<void>,
): Promise<Apart> {
  const configured = await configureInflux(options);
  const away = await configureInflux({ ...options, url: 'http://127.0.0.1:1' });
  const signal = AbortSignal.abort();
  const long = { id: 1_000_000, object: 'x'.repeat(70_000), property: 'p' };
  return {
    open: () => configured.open({ log: silentLog, makesPlace: true }),
    // Nobody waits until the store gives up by itself.
    openAway: () => away.open({ log: silentLog, makesPlace: true, signal }),
    async readPolls(series) {
      const reader = openInfluxReader(options, 'runtime_polled');
      const { times, values, texts } = await reader.points(series, always);
      await reader.close();
      return times.map((at, k): TestPoint => [at, values[k] ?? texts[k] ?? null]);
    },
    partlyRefused: seriesPoints(long, [[always.from, 1]]),
    apart: {
      configured,
      away,
      async countEvents() {
        const q = 'select count(started_at) from alarm_events';
        const { results } = JSON.parse(await askInflux(options, '/query', { q })) as {
          results: { series?: { values: unknown[][] }[] }[];
        };
        return Number(results[0]?.series?.[0]?.values[0]?.[1]);
      },
      dropPlace,
    },
    close: dropPlace,
  };
}

async function configureInflux(options: InfluxOptions): Promise<ConfiguredStore> {
  const config = await configOf({ influx: { ...options } });
  const [kind] = STORE_KINDS.others.filter((each) => each.isConfigured(config));
  if (kind === undefined) throw new Error('the configuration asks for InfluxDB');
  return kind.configure(config);
}
