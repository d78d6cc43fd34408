import { expect, onTestFinished } from 'vitest';
import { type FiringAlert, startPrometheus } from '../support/servers/prometheus.ts';

/** A real Prometheus that looks at services. */
export interface AlertWatch {
  /** Waits until all these alerts fire. */
  fires(...names: string[]): Promise<void>;
  /** Waits until none of these alerts fires. */
  isSilent(...names: string[]): Promise<void>;
  /** Waits until an alert fires, and returns the values of a label for which it fires. */
  firesFor(name: string, label: string): Promise<(string | undefined)[]>;
}

/** Starts Prometheus for the services at these ports. Alerts that fired are added to `made`. */
export async function watchAlerts(ports: readonly number[], made: Set<string>): Promise<AlertWatch> {
  const prometheus = await startPrometheus(ports.map((port) => `127.0.0.1:${port}`));
  onTestFinished(() => prometheus.close());
  const find = async (...names: string[]): Promise<FiringAlert[]> =>
    (await prometheus.firing()).filter(({ labels }) => names.includes(labels.alertname));
  const waitFor = async (name: string) => {
    await expect.poll(() => find(name), { message: `${name} fires`, interval: 250 }).not.toEqual([]);
    // A mistake in a template shows as text.
    for (const { annotations } of await find(name))
      expect(JSON.stringify(annotations)).not.toMatch(/<error|<no value>|%!/);
    made.add(name);
  };
  return {
    async fires(...names) {
      await Promise.all(names.map(waitFor));
    },
    isSilent: (...names) => expect.poll(() => find(...names), { interval: 250 }).toEqual([]),
    async firesFor(name, label) {
      await waitFor(name);
      return (await find(name)).map(({ labels }) => labels[label]);
    },
  };
}
