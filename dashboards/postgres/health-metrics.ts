/** A chart of metrics. Each query is an expression in PromQL with the names of its lines. */
export interface MetricChart {
  readonly title: string;
  readonly about: string;
  readonly unit?: string;
  readonly queries: readonly (readonly [expr: string, legend: string])[];
}

/** Numbers of the ledger are the same in all processes, so the greatest counts. Counters add up. */
export const healthMetrics: readonly MetricChart[] = [
  {
    title: 'Behind',
    about: 'Time between now and the newest stored time of the series that is furthest behind.',
    unit: 's',
    queries: [
      [
        'max by (selection, stream, store) (plantsync_history_lag_seconds)',
        '{{selection}} {{stream}} {{store}}',
      ],
    ],
  },
  {
    title: 'Series that are behind',
    about: 'Series of each selection without anything of the last ten minutes.',
    queries: [
      [
        'max by (selection, stream, store) (plantsync_history_series_behind)',
        '{{selection}} {{stream}} {{store}}',
      ],
    ],
  },
  {
    title: 'Missing',
    about: 'What plantsync gaps finds: seconds that are wanted and not stored, added up over all series.',
    unit: 's',
    queries: [['max by (selection, store) (plantsync_missing_series_seconds)', '{{selection}} {{store}}']],
  },
  {
    title: 'Points that differ',
    about: 'What the newest comparison with the platform found in each store, and nobody has repaired.',
    queries: [['max by (store, difference) (plantsync_verify_differences)', '{{store}} {{difference}}']],
  },
  {
    title: 'Overdue jobs',
    about: 'Time since a job was due that no process runs.',
    unit: 's',
    queries: [['max by (job) (plantsync_overdue_seconds)', '{{job}}']],
  },
  {
    title: 'Since the last success',
    about: 'Time since the newest run of each stream that brought data.',
    unit: 's',
    queries: [['time() - max by (stream) (plantsync_run_last_success_timestamp_seconds)', '{{stream}}']],
  },
  {
    title: 'Runs that ended',
    about: 'Runs per minute, by how they ended.',
    queries: [['sum by (status) (rate(plantsync_runs_total[$__rate_interval])) * 60', '{{status}}']],
  },
  {
    title: 'Requests to the platform',
    about: 'Requests per second, by their outcome.',
    unit: 'reqps',
    queries: [
      ['sum by (outcome) (rate(plantsync_platform_requests_total[$__rate_interval]))', '{{outcome}}'],
      ['sum(rate(plantsync_platform_retries_total[$__rate_interval]))', 'sent again'],
    ],
  },
  {
    title: 'Time of a request',
    about: 'Half of the requests take less than the first line, and 95 of 100 less than the second one.',
    unit: 's',
    queries: [
      [
        'histogram_quantile(0.5, sum by (le) (rate(plantsync_platform_request_duration_seconds_bucket[$__rate_interval])))',
        'half',
      ],
      [
        'histogram_quantile(0.95, sum by (le) (rate(plantsync_platform_request_duration_seconds_bucket[$__rate_interval])))',
        '95 of 100',
      ],
    ],
  },
  {
    title: 'Requests at once',
    about: 'How many requests at once plantsync allows itself, as the platform can bear them.',
    queries: [['sum(plantsync_platform_concurrency_limit)', 'allowed at once']],
  },
  {
    title: 'Points stored',
    about: 'Points per second that each store has acknowledged. A point that is read again counts again.',
    queries: [
      [
        'sum by (store, stream) (rate(plantsync_points_written_total[$__rate_interval]))',
        '{{store}} {{stream}}',
      ],
    ],
  },
  {
    title: 'Time of a write',
    about: '95 of 100 writes to a store take less than the line.',
    unit: 's',
    queries: [
      [
        'histogram_quantile(0.95, sum by (le, store) (rate(plantsync_store_write_duration_seconds_bucket[$__rate_interval])))',
        '{{store}}',
      ],
    ],
  },
  {
    title: 'Failed writes',
    about:
      'Writes per minute that a store did not acknowledge, and points per minute that it refused for good.',
    queries: [
      [
        'sum by (store) (rate(plantsync_store_write_failures_total[$__rate_interval])) * 60',
        '{{store}} failed',
      ],
      ['sum by (store) (rate(plantsync_points_refused_total[$__rate_interval])) * 60', '{{store}} refused'],
    ],
  },
  {
    title: 'Rows changed',
    about: 'Rows per second that were inserted, updated or deleted in Postgres.',
    queries: [['sum by (change) (rate(plantsync_rows_written_total[$__rate_interval]))', '{{change}}']],
  },
  {
    title: 'Rejects',
    about: 'Records and points per minute that could not be used.',
    queries: [['sum by (stream) (rate(plantsync_rejects_total[$__rate_interval])) * 60', '{{stream}}']],
  },
  {
    title: 'Jobs in the queues',
    about: 'Jobs of all processes by their state, with Redis only.',
    queries: [['max by (queue, state) (plantsync_queue_jobs)', '{{queue}} {{state}}']],
  },
  {
    title: 'Waiting to be stored',
    about:
      'Polls and alarm events that wait for a store, and polled values in memory while Postgres is away.',
    queries: [
      ['max by (store, stream) (plantsync_outbox_entries)', '{{store}} {{stream}}'],
      ['sum(plantsync_polled_values_waiting)', 'values in memory'],
    ],
  },
  {
    title: 'Polls',
    about: 'Polls per minute that were left out, and polled values per minute that are lost.',
    queries: [
      ['sum(rate(plantsync_polls_skipped_total[$__rate_interval])) * 60', 'left out'],
      ['sum(rate(plantsync_polled_values_lost_total[$__rate_interval])) * 60', 'values lost'],
    ],
  },
  {
    title: 'Rollups',
    about: 'For how long the oldest change of history waits for its rollups.',
    unit: 's',
    queries: [['max(plantsync_rollups_behind_seconds)', 'behind']],
  },
  {
    title: 'Processes by role',
    about: 'Processes of the service by role, those with a sign of life and those that are silent.',
    queries: [['max by (role, state) (plantsync_services)', '{{role}} {{state}}']],
  },
  {
    title: 'Dependencies',
    about: '1 while a process reaches what it depends on, 0 while that is away.',
    queries: [['min by (dependency) (plantsync_dependency_up)', '{{dependency}}']],
  },
  {
    title: 'Token of the platform',
    about: 'Time until the access token of the platform ends. It is renewed before that.',
    unit: 's',
    queries: [['min(plantsync_token_remaining_seconds)', 'until its end']],
  },
  {
    title: 'Clock of the platform',
    about: 'The clock of the platform minus that of plantsync.',
    unit: 's',
    queries: [['max(plantsync_platform_clock_skew_seconds)', 'ahead']],
  },
  {
    title: 'Memory',
    about: 'Memory of each process.',
    unit: 'bytes',
    queries: [['process_resident_memory_bytes and on (instance) plantsync_build_info', '{{instance}}']],
  },
  {
    title: 'Processor',
    about: 'Share of one core that each process uses.',
    unit: 'percentunit',
    queries: [
      [
        'rate(process_cpu_seconds_total[$__rate_interval]) and on (instance) plantsync_build_info',
        '{{instance}}',
      ],
    ],
  },
];
