import type { PoolClient } from 'pg';
import type { Piece } from '../../series/rollup.ts';
import type { Row } from '../../streams/define.ts';
import { copyIn } from '../copy/copy-in.ts';
import { copyOut, type FixedType } from '../copy/copy-out.ts';
import { encodeRows } from '../copy/encode.ts';
import { type Place, placesSql } from './places.ts';
import { type PlacedRollup, rollupColumns } from './rollup-tables.ts';

/** Replaces all rollups in the places. */
export async function replaceRollups(
  tx: PoolClient,
  table: string,
  { places, rollups }: { places: readonly Place[]; rollups: readonly PlacedRollup[] },
): Promise<void> {
  if (places.length > 0)
    await tx.query(
      `delete from ${table} as r using ${placesSql(places)}
       where r.series_id = place.id and r.bucket >= place."from" and r.bucket < place."to"`,
    );
  if (rollups.length === 0) return;
  const names = rollupColumns.map(({ name }) => name).join(', ');
  await copyIn(tx, `${table} (${names})`, encodeRows(rollupColumns, rollups.map(toRow)));
}

function toRow({ seriesId, rollup }: PlacedRollup): Row {
  const { from, to, count, valued, min, max, sum } = rollup;
  const { firstAt, first, lastAt, last, integral, knownSec, coveredSec } = rollup;
  return [
    ...[seriesId, from, to, count, valued, min, max, sum],
    ...[firstAt, first, lastAt, last, integral, knownSec, coveredSec],
  ];
}

/**
 * Reads the hours in the places, which ascend by series and time, as pieces of their days. `take` gets them
 * in the same order.
 */
export async function readHours(
  tx: PoolClient,
  table: string,
  { places, take }: { places: readonly Place[]; take(seriesId: number, piece: Piece): void },
): Promise<void> {
  if (places.length === 0) return;
  const query = `select ${rollupColumns.map(({ name }) => `h.${name}`).join(', ')} from ${placesSql(places)}
    cross join lateral (
      select * from ${table} as h
      where h.series_id = place.id and h.bucket >= place."from" and h.bucket < place."to" order by h.bucket) as h`;
  await copyOut(tx, { query, columns: rollupColumns.map(({ type }) => type as FixedType) }, (row) => {
    const [seriesId, from, to, count, valued, min, max, sum, firstAt, first, lastAt, last] = row as number[];
    const [integral, knownSec] = row.slice(12) as number[];
    take(
      seriesId as number,
      {
        ...{ from, to, count, valued, min, max, sum, firstAt, first, lastAt, last, integral, knownSec },
      } as Piece,
    );
  });
}
