import type { Metrics } from '../metrics.ts';
import type { Makers } from './metric-makers.ts';

/** From a small write to a local server up to the longest wait for a store, in seconds. */
const writeBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Makes the counters of what is written to stores. */
export function countStored(make: Makers): Pick<Metrics, 'countPoints' | 'countWrite' | 'countLostValues'> {
  const points = make.counter('points_written_total', 'Points that a store has acknowledged.', [
    'stream',
    'store',
  ]);
  const seconds = make.histogram(
    'store_write_duration_seconds',
    'Time of one write to a store, up to its acknowledgement or failure.',
    { label: 'store', buckets: writeBuckets },
  );
  const failures = make.counter('store_write_failures_total', 'Writes that a store did not acknowledge.', [
    'store',
    'code',
  ]);
  const refused = make.counter('points_refused_total', 'Points that a store refused for good.', [
    'stream',
    'store',
  ]);
  const lost = make.counter(
    'polled_values_lost_total',
    'Polled values dropped, because Postgres was away and the memory for polls was full.',
  );
  return {
    countPoints: ({ stream, store, points: written }) => points.inc({ stream, store }, written),
    countWrite({ stream, store, seconds: took, failure, refused: notTaken }) {
      seconds.observe({ store }, took);
      if (failure !== undefined) failures.inc({ store, code: failure });
      if (notTaken > 0) refused.inc({ stream, store }, notTaken);
    },
    countLostValues: (values) => lost.inc(values),
  };
}

/** Makes the counter of the calls to webhooks and to the heartbeat. */
export function countNotices(make: Makers): Pick<Metrics, 'countNotice'> {
  const notices = make.counter('notices_total', 'Calls of webhooks, by their names, and of the heartbeat.', [
    'receiver',
    'outcome',
  ]);
  return { countNotice: (receiver, outcome) => notices.inc({ receiver, outcome }) };
}
