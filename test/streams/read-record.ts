import { createRecordNormalizer } from '../../src/normalize/records.ts';
import { createInstantParser } from '../../src/series/instant.ts';
import { type Column, type RawRecord, rowColumns, type Stream, tableOf } from '../../src/streams/define.ts';

/** Rows by table. A row is an object with the columns that are not null. */
export interface ReadRecord {
  readonly rows: Readonly<Record<string, readonly Record<string, unknown>[] | undefined>>;
  readonly rejects: readonly unknown[];
}

/** Returns the rows and rejects that a stream makes of a record. */
export function readRecord(stream: Stream, record: unknown, parent?: RawRecord): ReadRecord {
  const normalize = createRecordNormalizer(stream, {
    parseInstant: createInstantParser({ timezone: 'UTC' }),
  });
  const normalized = normalize(record, parent);
  if ('reject' in normalized) throw new Error(normalized.reject);
  const parts = (stream.parts ?? []).map(({ name, columns }, k) => {
    const rows = normalized.parts[k];
    return [name, rows?.map((row) => byColumn(columns, row))] as const;
  });
  return {
    rows: { ...Object.fromEntries(parts), [tableOf(stream)]: [byColumn(rowColumns(stream), normalized.row)] },
    rejects: normalized.rejects,
  };
}

function byColumn(columns: readonly Column[], row: readonly unknown[]): Record<string, unknown> {
  const names = [...columns.map(({ name }) => name), 'extra'];
  const values = names.map((name, k) => [name, row[k]] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}
