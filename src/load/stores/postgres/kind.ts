import type { PostgresKind } from '../store-kind.ts';

export const postgresKind: PostgresKind = {
  name: 'postgres',
  title: 'PostgreSQL',
  option: 'postgres.samples',
  takesHistory: ({ postgres }) => postgres.samples,
  async open({ postgres }, db) {
    const { createPostgresStore } = await import('./create-store.ts');
    return createPostgresStore({ db, schema: postgres.schema, retentionMs: postgres.keepSamplesMs });
  },
};
