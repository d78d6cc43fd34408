import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What a metric tells. */
export interface MetricAbout {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

export type Makers = ReturnType<typeof createMakers>;

/**
 * Creates the functions that make the metrics of one registry, all named `plantsync_…`. `note` is told about
 * each metric that is made.
 */
export function createMakers(registry: Registry, note: (about: MetricAbout) => void) {
  const about = <T extends string>(
    type: MetricAbout['type'],
    { name, help, labels }: { name: string; help: string; labels: readonly T[] },
  ) => {
    const whole = { name: `plantsync_${name}`, help, labelNames: labels, registers: [registry] };
    note({ name: whole.name, type, help, labels });
    return whole;
  };
  return {
    counter: <T extends string>(name: string, help: string, labels: readonly T[] = []) =>
      new Counter(about('counter', { name, help, labels })),
    gauge: <T extends string>(name: string, help: string, labels: readonly T[]) =>
      new Gauge(about('gauge', { name, help, labels })),
    /** Makes a histogram of seconds, for each value of one label. */
    histogram: <T extends string>(
      name: string,
      help: string,
      { label, buckets }: { label: T; buckets: number[] },
    ) => new Histogram({ ...about('histogram', { name, help, labels: [label] }), buckets }),
  };
}
