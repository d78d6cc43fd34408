import type { BiColumn, BiView } from '../bi-view.ts';
import { waitSql } from '../history-sql.ts';

/** A run whose process is gone counts as lost, even if nobody has noted that yet. */
function statusOf(ledger: string, run: string): string {
  return `case when ${run}.status = 'running' and not exists (
        select from ${ledger}.leases as l where l.id = ${run}.lease and l.until > now())
      then 'lost' else ${run}.status end`;
}

export const stream: BiColumn = {
  name: 'stream',
  type: 'text',
  about: 'Stream: a table of the directory, history, current or alarms.',
};
const kind: BiColumn = {
  name: 'kind',
  type: 'text',
  about: 'Kind of work: scan, poll, increment, backfill, verify and their like, some with a selection.',
};
const status: BiColumn = {
  name: 'status',
  type: 'text',
  about:
    'running, done, partial (something is missing), failed, interrupted, or lost (its process died or stood still).',
};

const syncHealth: BiView = {
  name: 'sync_health',
  about: 'How each kind of work of each stream goes: one row for each, from its newest runs.',
  columns: [
    stream,
    kind,
    { name: 'last_started_at', type: 'timestamptz', about: 'When the newest run began.' },
    { name: 'last_finished_at', type: 'timestamptz', about: 'When the newest run that has ended did so.' },
    { ...status, name: 'last_status', about: `Status of the newest run: ${status.about}` },
    {
      name: 'last_success_at',
      type: 'timestamptz',
      about: 'When the newest run that ended as done or partial began; null if none is kept.',
    },
    { name: 'since_success_sec', type: 'double precision', about: 'Seconds from last_success_at to now.' },
    {
      name: 'problem',
      type: 'text',
      about: 'First problem of the newest run that has ended; null if it had none.',
    },
    { name: 'running', type: 'boolean', about: 'Whether a run is under way just now.' },
  ],
  // Each step of the recursion jumps to the next kind in the index, whatever the number of runs.
  sql: ({ ledger }) => `
    with recursive known as (
      (select stream, kind from ${ledger}.runs order by stream, kind limit 1)
      union all
      select next.stream, next.kind from known as k cross join lateral (
        select r.stream, r.kind from ${ledger}.runs as r
        where (r.stream, r.kind) > (k.stream, k.kind) order by r.stream, r.kind limit 1) as next)
    select k.stream, k.kind, newest.started_at as last_started_at, ended.finished_at as last_finished_at,
      newest.status as last_status, good.started_at as last_success_at,
      ${waitSql('good.started_at', 'now()')} as since_success_sec,
      case when ended.status = 'lost' then 'the process of the run died, or stood still for too long'
        when ended.status <> 'done' then coalesce(ended.error, ended.summary #>> '{problems,0}') end as problem,
      exists (select from ${ledger}.runs as r
        where r.stream = k.stream and r.kind = k.kind and r.status = 'running'
          and ${statusOf(ledger, 'r')} = 'running') as running
    from known as k
    cross join lateral (
      select r.started_at, ${statusOf(ledger, 'r')} as status from ${ledger}.runs as r
      where r.stream = k.stream and r.kind = k.kind order by r.id desc limit 1) as newest
    left join lateral (
      select r.finished_at, ${statusOf(ledger, 'r')} as status, r.error, r.summary from ${ledger}.runs as r
      where r.stream = k.stream and r.kind = k.kind and ${statusOf(ledger, 'r')} <> 'running'
      order by r.id desc limit 1) as ended on true
    left join lateral (
      select r.started_at from ${ledger}.runs as r
      where r.stream = k.stream and r.kind = k.kind and r.status in ('done', 'partial')
      order by r.id desc limit 1) as good on true`,
};

const syncRuns: BiView = {
  name: 'sync_runs',
  about:
    'The runs: one row for each time that work on a stream was done. The newest 1,000 of each kind are kept.',
  columns: [
    { name: 'run_id', type: 'bigint', about: 'Number of the run.' },
    stream,
    kind,
    { name: 'started_at', type: 'timestamptz', about: 'When the run began.' },
    { name: 'finished_at', type: 'timestamptz', about: 'When the run ended, or was found to be lost.' },
    status,
    {
      name: 'seconds',
      type: 'double precision',
      about: 'How long the run took; while it is under way, until now. Null if its process died.',
    },
    { name: 'records', type: 'bigint', about: 'Records, or points of history, that came from the platform.' },
    { name: 'points', type: 'bigint', about: 'Points that stores acknowledged, added up over the stores.' },
    { name: 'rejects', type: 'bigint', about: 'Entries that could not be used.' },
    { name: 'requests', type: 'bigint', about: 'Requests to the platform.' },
    { name: 'error', type: 'text', about: 'First problem of the run.' },
  ],
  sql: ({ ledger }) => `
    select r.id as run_id, r.stream, r.kind, r.started_at, r.finished_at, r.status,
      case r.status when 'running' then ${waitSql('r.started_at', 'now()')}
        else (r.summary ->> 'seconds')::double precision end as seconds,
      (r.summary ->> 'records')::bigint as records,
      case when r.summary ? 'points' then (
        select coalesce(sum(p.value::bigint), 0)::bigint from jsonb_each_text(r.summary -> 'points') as p) end as points,
      (r.summary ->> 'rejects')::bigint as rejects, (r.summary ->> 'requests')::bigint as requests, r.error
    from (
      select r.id, r.stream, r.kind, r.started_at, r.finished_at, ${statusOf(ledger, 'r')} as status, r.summary, r.error
      from ${ledger}.runs as r) as r`,
};

const services: BiView = {
  name: 'services',
  about:
    'The processes of the service. One that has ended as told has no row; one that died is shown for a week.',
  columns: [
    { name: 'role', type: 'text', about: 'all, scheduler, worker or console.' },
    { name: 'host', type: 'text', about: 'Host of the process.' },
    { name: 'pid', type: 'integer', about: 'Number of the process on its host.' },
    { name: 'started_at', type: 'timestamptz', about: 'When the process began.' },
    { name: 'beat_at', type: 'timestamptz', about: 'Last sign of life.' },
    { name: 'alive', type: 'boolean', about: 'Whether the process has shown a sign of life lately.' },
  ],
  // While the server was away, nobody could give a sign of life.
  sql: ({ ledger }) => `
    select s.role, s.host, s.pid, s.started_at, s.beat_at,
      greatest(s.beat_at, pg_postmaster_start_time()) > now() - interval '20 seconds' as alive
    from ${ledger}.services as s`,
};

export const healthViews: readonly BiView[] = [syncHealth, syncRuns, services];
