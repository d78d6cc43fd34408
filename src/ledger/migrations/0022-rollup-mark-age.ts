import type { Migration } from './migration.ts';

/** Adds since when a change waits for its rollups. */
export const rollupMarkAge: Migration = {
  number: 22,
  name: 'rollup-mark-age',
  sql: ({ ledger }) => `
alter table ${ledger}.rollup_marks add column marked_at timestamptz not null default now();
comment on column ${ledger}.rollup_marks.marked_at is 'When the change was made.';
`,
};
