import { type BiView, selectTags, tagColumns } from '../bi-view.ts';
import { stream } from './health.ts';

const syncRejects: BiView = {
  name: 'sync_rejects',
  about: 'What the platform sent and could not be used: one row for each open case.',
  columns: [
    { name: 'id', type: 'bigint', about: 'Number of the case, for `plantsync rejects show`.' },
    stream,
    { name: 'kind', type: 'text', about: 'record, point, or the kind of trouble.' },
    {
      name: 'key',
      type: 'text',
      about: 'Key of the record, or name of the series; * stands for all beyond the bound.',
    },
    { name: 'reason', type: 'text', about: 'Why it could not be used.' },
    { name: 'count', type: 'bigint', about: 'How often the case was met.' },
    { name: 'at', type: 'timestamptz', about: 'When the case was first met.' },
    { name: 'last_at', type: 'timestamptz', about: 'When the case was last met.' },
  ],
  sql: ({ ledger }) => `
    select r.id, r.stream, r.kind, r.key, r.reason, r.count, r.at, r.last_at
    from ${ledger}.rejects as r where r.resolved_at is null`,
};

const drift: BiView = {
  name: 'drift',
  about:
    'Where the records of the platform differ from what is declared, as the last scan of each stream saw it.',
  columns: [
    stream,
    { name: 'table_name', type: 'text', about: 'Table whose records differ.' },
    { name: 'member', type: 'text', about: 'Member of the record.' },
    {
      name: 'kind',
      type: 'text',
      about:
        'new (not declared), missing (declared, in no record) or retyped (of another type than declared).',
    },
    { name: 'since', type: 'timestamptz', about: 'Since when every scan has shown it.' },
    { name: 'last_at', type: 'timestamptz', about: 'When the last scan showed it.' },
    { name: 'count', type: 'bigint', about: 'Number of records of the last scan that show it.' },
  ],
  sql: ({ ledger }) => `
    select d.stream, d.table_name, d.member, d.kind, d.since, d.last_at, d.count
    from ${ledger}.drift as d`,
};

const verifyDifferences: BiView = {
  name: 'verify_differences',
  about:
    'What verifications found to differ between the platform and a store: one row for each run, store, stream and series. A run keeps the first 500 series.',
  columns: [
    { name: 'run_id', type: 'bigint', about: 'Number of the run of the verification.' },
    { name: 'at', type: 'timestamptz', about: 'When the verification began.' },
    { name: 'store', type: 'text', about: 'Identity of the store.' },
    {
      name: 'stream',
      type: 'text',
      about: 'Stream of the points: history, or an aggregate such as history/300s/mean.',
    },
    ...tagColumns,
    {
      name: 'missing',
      type: 'bigint',
      about: 'Number of points that the platform has, and the store has not.',
    },
    {
      name: 'extra',
      type: 'bigint',
      about: 'Number of points that the store has, and the platform has not.',
    },
    { name: 'different', type: 'bigint', about: 'Number of points that both have, with another value.' },
    { name: 'repaired', type: 'boolean', about: 'Whether the same verification repaired all of them.' },
  ],
  sql: ({ bi, ledger }) => `
    select r.id as run_id, r.started_at as at, d.store, d.stream, ${selectTags('t')},
      d.missing, d.extra, d.different, d."isRepaired" as repaired
    from ${ledger}.runs as r
    cross join lateral jsonb_to_recordset(r.summary -> 'differences') as d (
      store text, stream text, "seriesId" bigint, missing bigint, extra bigint, different bigint, "isRepaired" boolean)
    left join ${bi}.tags as t on t.series_id = d."seriesId"
    where (r.kind = 'verify' or starts_with(r.kind, 'verify ')) and r.stream = 'history'`,
};

export const findingViews: readonly BiView[] = [syncRejects, drift, verifyDifferences];
