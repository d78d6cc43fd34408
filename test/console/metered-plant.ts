import { showLedger } from '../../src/console/ledger-gauges.ts';
import { createPrometheus } from '../../src/console/prometheus.ts';
import { STORE_KINDS } from '../../src/load/stores/store-kinds.ts';
import { silentLog } from '../../src/log.ts';
import { sleepOrWake } from '../../src/sleep.ts';
import { OverviewLedger } from '../../src/sync/status/overview.ts';
import { openSimulatedPlant } from '../support/plant-context.ts';
import { noAlarms } from '../support/stream-switches.ts';

/**
 * Opens a plant whose metrics are made as in the service. One pump has a point a minute over the last hour.
 */
export async function openMeteredPlant() {
  const prometheus = createPrometheus({ version: '1.2.3' });
  const plant = await openSimulatedPlant(
    { size: { objects: 0, persons: 4 } },
    ({ influx: section }) => ({
      influx: section,
      alarms: noAlarms,
      runtime: [{ objects: 'pump1', properties: 'temp', history: { start: '2h', settle: '0s' } }],
    }),
    prometheus,
  );
  const nowMs = Date.now();
  const points = Array.from({ length: 60 }, (_, k): [number, number] => [nowMs - (60 - k) * 60_000, k]);
  plant.simulator.addObject({ name: 'pump1', properties: [{ name: 'temp', points }] });
  const shown = { ...plant.ctx, kinds: STORE_KINDS };
  let scrapeMs = 0;
  const clock = () => scrapeMs;
  const overview = new OverviewLedger(shown, clock);
  showLedger(shown, { prometheus, overview, log: silentLog, clock, sleep: sleepOrWake });
  /** Returns the values of all series whose name begins like this, by their labels. */
  const scrape = async (name: string): Promise<Record<string, number>> => {
    const lines = (await prometheus.render())
      .split('\n')
      .filter((line) => line.startsWith(`plantsync_${name}`));
    return Object.fromEntries(
      lines.map((line) => [line.slice(10, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    );
  };
  /** Lets so much time pass that the next scrape asks the ledger again for everything. */
  const pass = () => {
    scrapeMs += 60_000;
  };
  return { ...plant, prometheus, scrape, pass };
}
