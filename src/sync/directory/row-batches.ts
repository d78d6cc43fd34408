import type { RowBatch, WholeSets } from '../../load/rows/load-rows.ts';
import type { RowTarget } from '../../load/rows/row-targets.ts';
import type { NormalizedRecord } from '../../normalize/records.ts';
import type { ColumnValue, Row, Stream } from '../../streams/define.ts';
import { ownerColumns } from '../../streams/owner.ts';
import type { Parcel } from './open-list.ts';

export interface BatchPlan {
  readonly stream: Stream;
  /** Returns the key of a row of the stream. */
  readonly keyOf: (row: Row) => ColumnValue[];
  readonly targets: { readonly main: RowTarget; readonly parts: readonly RowTarget[] };
  /** Names of the tables that were empty when the scan began, and got only new rows since. */
  readonly emptyTables: Set<string>;
  /** Complete scans that must have missed a row before the row may be deleted. */
  readonly missesAtMost: number;
}

/**
 * Makes the batches that are written together: the records of some parcels, and the sets that are whole with
 * them.
 */
export function makeBatches(plan: BatchPlan, parcels: readonly Parcel[]): RowBatch[] {
  const { stream, targets, emptyTables } = plan;
  const records =
    stream.parts === undefined ? parcels.flatMap((parcel) => parcel.records) : lastOfEachKey(plan, parcels);
  const whole = wholeLists(plan, parcels);
  const main: RowBatch = {
    target: targets.main,
    rows: records.map(({ row }) => row),
    beganEmpty: emptyTables.has(targets.main.table),
    ...(whole && { whole }),
  };
  return [main, ...targets.parts.map((target, k) => makePartBatch(plan, target, { records, k }))].filter(
    ({ rows, whole }) => rows.length > 0 || whole !== undefined,
  );
}

/** Keeps the last of the records with the same key, with its own parts alone. */
function lastOfEachKey({ keyOf }: BatchPlan, parcels: readonly Parcel[]): NormalizedRecord[] {
  const byKey = new Map<string, NormalizedRecord>();
  // No value holds this character, because Postgres could not hold it.
  for (const { records } of parcels)
    for (const record of records) byKey.set(keyOf(record.row).join('\0'), record);
  return [...byKey.values()];
}

/**
 * Returns the lists that end with these parcels, as sets of rows. Returns undefined if no list ends, and for
 * details, whose lists hold no rows of their own.
 */
function wholeLists({ stream, missesAtMost }: BatchPlan, parcels: readonly Parcel[]): WholeSets | undefined {
  const ends = parcels.flatMap(({ end }) =>
    end?.alsoSeen === undefined ? [] : [{ ...end, alsoSeen: end.alsoSeen }],
  );
  if (stream.updates || ends.length === 0) return undefined;
  const columns = ownerColumns(stream);
  return {
    columns: columns.map(({ name }) => name),
    sets: ends.map(({ owner }) => columns.map(({ of }) => (owner?.key[of] ?? null) as ColumnValue)),
    alsoSeen: ends.flatMap(({ alsoSeen }) => alsoSeen),
    missing: { missesAtMost },
  };
}

/**
 * Makes the batch of one part. The part rows of a record are a whole set, unless the record lacks the part,
 * or one of its rows could not be used.
 */
function makePartBatch(
  { stream, keyOf, emptyTables }: BatchPlan,
  target: RowTarget,
  { records, k }: { records: readonly NormalizedRecord[]; k: number },
): RowBatch {
  const part = stream.parts?.[k];
  const rows = records.flatMap(({ parts }) => parts[k] ?? []);
  if (part === undefined || part.shared !== undefined) return { target, rows };
  const sets = records
    .filter(
      ({ parts, rejects }) => parts[k] !== undefined && !rejects.some(({ table }) => table === part.name),
    )
    .map(({ row }) => keyOf(row));
  if (sets.length === 0) return { target, rows };
  const columns = part.key.slice(0, stream.key.length);
  const beganEmpty = emptyTables.has(target.table);
  return { target, rows, beganEmpty, whole: { columns, sets, alsoSeen: [], missing: 'delete' } };
}
