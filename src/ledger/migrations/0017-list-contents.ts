import type { Migration } from './migration.ts';

/** Adds what each list held, so that a list that has not changed is not compared row by row. */
export const listContents: Migration = {
  number: 17,
  name: 'list contents',
  sql: ({ ledger }) => `
alter table ${ledger}.reads add column content text, add column version text, add column replaces text;
comment on table ${ledger}.reads is 'When a list, or the details of a row, were last read, and what they held.';
comment on column ${ledger}.reads.parent is 'Key of the parent row; [] for a list of the whole platform.';
comment on column ${ledger}.reads.read_at is 'When it was last read to its end and loaded; the epoch if that never came to its end.';
comment on column ${ledger}.reads.content is 'Digests of what the list held, if the tables hold exactly that; else null.';
comment on column ${ledger}.reads.version is 'Name of the last transaction that loaded rows of the list.';
comment on column ${ledger}.reads.replaces is 'Version that was known when the list was read; null once it was compared.';
`,
};
