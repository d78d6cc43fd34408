import type { PoolClient } from 'pg';
import type { RollupTables } from '../../postgres/rollup-tables.ts';
import type { Covered } from '../../series/covered.ts';
import type { NumberRows } from '../../series/number-rows.ts';
import { PieceMaker } from '../../series/rollup.ts';
import type { ZoneGrid } from '../../series/zone-grid.ts';
import { copyOut } from '../copy/copy-out.ts';
import { type Place, placesSql } from './places.ts';

export interface PieceReading {
  readonly tables: RollupTables;
  readonly grid: ZoneGrid;
  /** The rows to which the pieces are added. */
  readonly pieces: NumberRows;
  coveredOf(seriesId: number): Covered | undefined;
}

/**
 * Reads the points of the places, which ascend by series and time, and adds them up by the hour. Resolves to
 * the number of points.
 */
export async function readPieces(
  tx: PoolClient,
  places: readonly Place[],
  { tables, grid, pieces, coveredOf }: PieceReading,
): Promise<number> {
  if (places.length === 0) return 0;
  let points = 0;
  let seriesId: number | undefined;
  const maker = new PieceMaker(pieces, grid.hourAt);
  const query = `select place.id, s.at, s.value from ${placesSql(places)}
    cross join lateral (
      select at, value from ${tables.samples} as s
      where s.series_id = place.id and s.at >= place."from" and s.at < place."to" order by s.at) as s`;
  const columns = ['bigint', 'timestamptz', 'double precision'] as const;
  await copyOut(tx, { query, columns }, (row) => {
    const id = row[0] as number;
    if (id !== seriesId) maker.begin(id, coveredOf(id));
    seriesId = id;
    points += 1;
    maker.add(row[1] as number, row[2] as number);
  });
  maker.end();
  return points;
}
