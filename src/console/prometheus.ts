import { collectDefaultMetrics, type Gauge, Registry } from 'prom-client';
import type { Metrics, RunCounts, RunMeter } from '../metrics.ts';
import { createMakers, type Makers, type MetricAbout } from './metric-makers.ts';
import { countNotices, countStored } from './store-counters.ts';

/** Brings gauges up to date before they are shown. It must be quick, since the scrape waits for it. */
export type Collect = () => void | Promise<void>;

/** The counts of one process in the text format of Prometheus. */
export interface Prometheus extends Metrics {
  readonly contentType: string;
  /** Makes a further gauge, named `plantsync_…`. `labels` are the names of its labels. */
  gauge(name: string, help: string, labels?: readonly string[]): Gauge;
  /**
   * Runs `collect` before each scrape, until the returned function is called. It is for numbers that nobody
   * counts, such as the length of a queue.
   */
  onScrape(collect: Collect): () => void;
  render(): Promise<string>;
  /** Lists all metrics named `plantsync_…`, in the order in which they were made. */
  list(): MetricAbout[];
}

/** From replies within a local network up to the longest wait, in seconds. */
const requestBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** From polls of milliseconds up to scans and backfills of hours, in seconds. */
const runBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400];

/**
 * Creates the metrics with a registry of their own, which shares nothing with other registries of the
 * process.
 */
export function createPrometheus({ version }: { version: string }): Prometheus {
  const registry = new Registry();
  const made: MetricAbout[] = [];
  const make = createMakers(registry, (about) => made.push(about));
  const collectors = new Set<Collect>();
  collectDefaultMetrics({ register: registry });
  make
    .gauge('build_info', 'Always 1; the labels tell the versions.', ['version', 'node'])
    .set({ version, node: process.versions.node }, 1);
  const onScrape = (collect: Collect) => {
    collectors.add(collect);
    return () => collectors.delete(collect);
  };
  return {
    ...countPlatform(make),
    ...countStored(make),
    ...countNotices(make),
    followRun: createRunFollower(make, onScrape),
    contentType: registry.contentType,
    gauge: (name, help, labels = []) => make.gauge(name, help, labels),
    onScrape,
    async render() {
      await Promise.all([...collectors].map((collect) => collect()));
      return registry.metrics();
    },
    list: () => [...made],
  };
}

function countPlatform(make: Makers): Pick<Metrics, 'countRequest' | 'countRetry' | 'countFailedCall'> {
  const requests = make.counter(
    'platform_requests_total',
    'Requests sent to the platform; outcome is ok or why the request failed.',
    ['operation', 'outcome'],
  );
  const seconds = make.histogram(
    'platform_request_duration_seconds',
    'Time from sending a request to the whole reply, or to its failure.',
    { label: 'operation', buckets: requestBuckets },
  );
  const retries = make.counter('platform_retries_total', 'Requests that were sent again after a failure.', [
    'operation',
  ]);
  const failures = make.counter('platform_failures_total', 'Calls that failed for good, after all retries.', [
    'operation',
    'kind',
  ]);
  return {
    countRequest({ operation, outcome, seconds: took }) {
      requests.inc({ operation, outcome });
      seconds.observe({ operation }, took);
    },
    countRetry: (operation) => retries.inc({ operation }),
    countFailedCall: (operation, kind) => failures.inc({ operation, kind }),
  };
}

/** The counts of a run that become metrics. Rows have a label that tells the kind of change. */
type Amount = Exclude<keyof RunCounts, 'stream'>;
const rowChanges = {
  inserted: 'inserted',
  updated: 'updated',
  deleted: 'deleted',
  partRows: 'part',
} as const;

function createRunFollower(make: Makers, onScrape: (collect: Collect) => () => void): Metrics['followRun'] {
  const add = createAdder(make);
  const runs = make.counter('runs_total', 'Runs that have ended: done, partial, failed, interrupted.', [
    'stream',
    'status',
  ]);
  const seconds = make.histogram('run_duration_seconds', 'Time from begin to end of a run.', {
    label: 'stream',
    buckets: runBuckets,
  });
  const under = make.gauge('runs_in_progress', 'Runs under way in this process.', ['stream']);
  return (counts): RunMeter => {
    const { stream } = counts;
    const seen = new Map<Amount, number>();
    const update = () => add(counts, seen);
    const leave = onScrape(update);
    under.inc({ stream });
    return {
      end(status, ranSeconds) {
        leave();
        update();
        under.dec({ stream });
        runs.inc({ stream, status });
        seconds.observe({ stream }, ranSeconds);
      },
    };
  };
}

/** Creates a function that adds to the counters what a run has done since `seen`, and updates `seen`. */
function createAdder(make: Makers): (counts: RunCounts, seen: Map<Amount, number>) => void {
  const records = make.counter('records_received_total', 'Records and history rows of the platform.', [
    'stream',
  ]);
  const rejects = make.counter('rejects_total', 'Records and points that could not be used.', ['stream']);
  const skipped = make.counter(
    'polls_skipped_total',
    'Polls left out, because the poll before took longer than its period.',
  );
  const rows = make.counter(
    'rows_written_total',
    'Rows changed in Postgres; part is rows of labels, roles and the like.',
    ['stream', 'change'],
  );
  return (counts, seen) => {
    const { stream } = counts;
    const grown = (amount: Amount): number => {
      const now = counts[amount] ?? 0;
      const before = seen.get(amount) ?? 0;
      seen.set(amount, Math.max(now, before));
      return Math.max(0, now - before);
    };
    records.inc({ stream }, grown('records'));
    rejects.inc({ stream }, grown('rejects'));
    skipped.inc(grown('skippedPolls'));
    for (const [amount, change] of Object.entries(rowChanges))
      rows.inc({ stream, change }, grown(amount as keyof typeof rowChanges));
  };
}
