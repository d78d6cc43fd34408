import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { byValue, colored, steps } from '../parts/colors.ts';
import { bucketOf } from '../parts/fragments.ts';
import { partitionBySeries } from '../parts/frames.ts';
import { makeDashboard } from '../parts/page.ts';
import { barsOverTime, inSeconds, lines, stat, table } from '../parts/panels.ts';
import { promql, sql } from '../parts/sources.ts';
import { postgresSource, prometheusSource } from '../parts/variables.ts';
import { healthMetrics } from './health-metrics.ts';

const glance = stat({
  title: 'Streams',
  about: 'Streams that ever ran, those whose last run had a problem, and those that run now.',
  query: sql(`
    select count(*) as streams, count(*) filter (where problem is not null) as "with a problem",
      count(*) filter (where running) as running
    from bi.sync_health`),
  width: 8,
  height: 4,
});

const open = stat({
  title: 'Open cases',
  about:
    'Records and points that could not be used, and members of records that differ from what is declared.',
  query: sql(`
    select (select count(*) from bi.sync_rejects) as rejects, (select count(*) from bi.drift) as drift`),
  width: 8,
  height: 4,
})
  .thresholds(steps('green', [1, 'orange']))
  .colorScheme(byValue());

const processes = stat({
  title: 'Processes',
  about: 'Processes of the service that showed a sign of life lately, and those that did not.',
  query: sql(`
    select count(*) filter (where alive) as alive, count(*) filter (where not alive) as "without a sign of life"
    from bi.services`),
  width: 8,
  height: 4,
});

const health = table({
  title: 'Last run of each stream',
  about:
    'The last run of each stream, the time since its last success, and its problem, those with a problem first.',
  query: sql(`
    select stream, kind, last_status, since_success_sec as "since success", running, problem, last_started_at,
      last_finished_at, last_success_at
    from bi.sync_health
    order by problem is null, stream, kind`),
  width: 24,
  height: 11,
})
  .overrideByName('since success', [inSeconds])
  .overrideByName('last_status', [
    {
      id: 'mappings',
      value: [colored({ done: 'green', partial: 'orange', failed: 'red', interrupted: 'orange' })],
    },
    { id: 'custom.cellOptions', value: { type: 'color-text' } },
  ]);

const loaded = barsOverTime({
  title: 'Loaded per stream',
  about: 'Records and points that runs received, by the begin of the run and the stream.',
  query: sql(`
    select ${bucketOf('started_at', 60_000)} as time, stream as series,
      sum(coalesce(records, 0) + coalesce(points, 0))::float8 as "Value"
    from bi.sync_runs
    where $__timeFilter(started_at)
    group by 1, 2
    order by 1`),
  width: 12,
  height: 9,
}).withTransformation(partitionBySeries());

const perStream = table({
  title: 'The range in figures',
  about:
    'Per stream: runs, those that failed, what they received, and the requests they sent to the platform.',
  query: sql(`
    select stream, count(*) as runs, count(*) filter (where status = 'failed') as failed,
      sum(records)::float8 as records, sum(points)::float8 as points, sum(rejects)::float8 as rejects,
      sum(requests)::float8 as requests, avg(seconds) as "mean time", max(seconds) as "longest time"
    from bi.sync_runs
    where $__timeFilter(started_at)
    group by stream
    order by stream`),
  width: 12,
  height: 9,
}).overrideByRegexp('time$', [inSeconds]);

const runs = table({
  title: 'Runs',
  about: 'The newest runs of the range with their counts and errors.',
  query: sql(`
    select started_at, stream, kind, status, seconds, records, points, rejects, requests, error, run_id
    from bi.sync_runs
    where $__timeFilter(started_at)
    order by started_at desc
    limit 500`),
  width: 24,
  height: 10,
}).overrideByName('seconds', [inSeconds]);

const rejects = table({
  title: 'Open rejects',
  about: 'What could not be used, and is not settled. plantsync rejects show has the record of a case.',
  query: sql(`
    select id, stream, kind, key, reason, count, at, last_at from bi.sync_rejects order by last_at desc limit 500`),
  width: 12,
  height: 9,
});

const drift = table({
  title: 'Drift',
  about: 'Members of records that are new, that never come, or that come with another type than declared.',
  query: sql(`select * from bi.drift order by stream, member limit 500`),
  width: 12,
  height: 9,
});

const services = table({
  title: 'Each process',
  about: 'Each process with its role, its machine and its last sign of life.',
  query: sql(`select * from bi.services order by alive desc, role, host, pid`),
  width: 24,
  height: 7,
});

/** Makes charts of metrics. Each has one query per line of the list. */
function metricCharts(): Builder<Panel>[] {
  return healthMetrics.map(({ title, about, unit, queries }) => {
    const targets = queries.map(([expr, legend], index) =>
      promql(expr, { refId: String.fromCharCode('A'.charCodeAt(0) + index), legend }),
    );
    const chart = lines({ title, about, query: targets, width: 8, height: 8 });
    return unit === undefined ? chart : chart.unit(unit);
  });
}

/** Answers whether plantsync works: for people who run it. */
export const connectorHealth = makeDashboard({
  uid: 'plantsync-health',
  title: 'Connector health',
  about: 'What plantsync did, what it could not use, and its metrics.',
  tags: ['postgres', 'prometheus'],
  back: '24h',
  refresh: '1m',
  variables: [postgresSource(), prometheusSource()],
  rows: [
    { title: 'At a glance', panels: [glance, open, processes] },
    { title: 'Runs', panels: [health, loaded, perStream, runs] },
    { title: 'Cases', panels: [rejects, drift, services] },
    { title: 'Metrics', panels: metricCharts() },
  ],
});
