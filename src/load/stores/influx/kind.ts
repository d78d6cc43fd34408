import type { Config } from '../../../config/config-schema.ts';
import { UsageError } from '../../../errors.ts';
import type { ConfiguredStore, StoreKind, StorePlace } from '../store-kind.ts';
import {
  type InfluxOptions,
  type InfluxTarget,
  influxStoreId,
  influxStorePrefix,
  resolveInfluxOptions,
} from './options.ts';

export const influxKind: StoreKind = {
  name: 'influx',
  title: 'InfluxDB',
  takesEvents: true,
  isConfigured: ({ influx }) => influx !== undefined,
  configure,
};

/** The client of InfluxDB is loaded when it is needed, because most commands look at the options only. */
function configure({ influx: options }: Config): ConfiguredStore {
  if (options === undefined)
    throw new UsageError('usage.needs_influx', 'influx.url is not set: no InfluxDB is configured');
  const target = resolveInfluxOptions(options);
  return {
    kind: influxKind,
    id: influxStoreId(target),
    prefix: influxStorePrefix(target),
    place: placeOf(target),
    summary: `${new URL(options.url).host} takes points for ${target.place}`,
    async open({ log, signal, makesPlace }) {
      const { createInfluxStore, openRetryClock } = await import('./create-store.ts');
      const opened: InfluxOptions = { ...options, createDatabase: makesPlace };
      return createInfluxStore(opened, log, openRetryClock(signal));
    },
    async openPulse({ limitMs }) {
      const { openInfluxPulse } = await import('./pulse.ts');
      return openInfluxPulse(options, { limitMs });
    },
  };
}

function placeOf({ options: { version }, place: name }: InfluxTarget): StorePlace {
  const noun = version === 2 ? 'bucket' : 'database';
  return { noun, name, option: `influx.${noun}`, addressOption: 'influx.url' };
}
