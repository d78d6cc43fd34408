import type { PoolClient } from 'pg';
import type { RollupTables } from '../../postgres/rollup-tables.ts';
import type { Carried } from '../../series/rollup-joiner.ts';
import { type Place, placesSql } from './places.ts';
import { type CarriedPoints, keyOfCarried } from './rollup-tables.ts';

/** Returns, for each place, the first hour with a rollup at or after its end. */
export async function findNextHours(
  tx: PoolClient,
  { hourly }: RollupTables,
  places: readonly Place[],
): Promise<{ seriesId: number; bucket: number }[]> {
  if (places.length === 0) return [];
  const { rows } = await tx.query(
    `select place.id as "seriesId", next.bucket from ${placesSql(places)}
     cross join lateral (
       select bucket from ${hourly} as h where h.series_id = place.id and h.bucket >= place."to"
       order by h.bucket limit 1) as next`,
  );
  return rows;
}

/** Returns the hours in the places that have a rollup. */
export async function findHours(
  tx: PoolClient,
  { hourly }: RollupTables,
  places: readonly Place[],
): Promise<Place[]> {
  if (places.length === 0) return [];
  const { rows } = await tx.query(
    `select h.series_id as "seriesId", h.bucket as "from", h.ends_at as "to" from ${placesSql(places)}
     join ${hourly} as h on h.series_id = place.id and h.bucket >= place."from" and h.bucket < place."to"`,
  );
  return rows;
}

/** Returns the last point before the begin of each place. */
export async function findCarried(
  tx: PoolClient,
  { samples }: RollupTables,
  places: readonly Place[],
): Promise<CarriedPoints> {
  if (places.length === 0) return new Map();
  const { rows } = await tx.query<Carried & { id: number; from: number }>(
    `select place.id, place."from", before.at, before.value from ${placesSql(places)}
     cross join lateral (
       select at, value from ${samples} as s where s.series_id = place.id and s.at < place."from"
       order by s.at desc limit 1) as before`,
  );
  return new Map(rows.map(({ id, from, at, value }) => [keyOfCarried(id, from), { at, value }]));
}
