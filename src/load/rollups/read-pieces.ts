import type { PoolClient } from 'pg';
import type { RollupTables } from '../../postgres/rollup-tables.ts';
import { type Covered, type Piece, PieceMaker } from '../../series/rollup.ts';
import type { ZoneGrid } from '../../series/zone-grid.ts';
import { copyOut } from '../copy/copy-out.ts';
import { type Place, placesSql } from './places.ts';

export interface PieceReading {
  readonly tables: RollupTables;
  readonly grid: ZoneGrid;
  coveredOf(seriesId: number): Covered;
}

/**
 * Reads the points of the places, which ascend by series and time, and adds them up by the hour. `take` gets
 * the pieces in the same order. Resolves to the number of points.
 */
export async function readPieces(
  tx: PoolClient,
  places: readonly Place[],
  { tables, grid, coveredOf, take }: PieceReading & { take(seriesId: number, piece: Piece): void },
): Promise<number> {
  if (places.length === 0) return 0;
  let points = 0;
  let seriesId: number | undefined;
  let maker: PieceMaker | undefined;
  const query = `select place.id, s.at, s.value from ${placesSql(places)}
    cross join lateral (
      select at, value from ${tables.samples} as s
      where s.series_id = place.id and s.at >= place."from" and s.at < place."to" order by s.at) as s`;
  const columns = ['bigint', 'timestamptz', 'double precision'] as const;
  await copyOut(tx, { query, columns }, ([id, at, value]) => {
    if (id !== seriesId) {
      maker?.end();
      const of = id as number;
      seriesId = of;
      maker = new PieceMaker(coveredOf(of), grid.hourAt, (piece) => take(of, piece));
    }
    points += 1;
    maker?.add(at as number, value ?? null);
  });
  maker?.end();
  return points;
}
