import type { PoolClient } from 'pg';
import type { NumberRows } from '../../series/number-rows.ts';
import { copyIn } from '../copy/copy-in.ts';
import { copyOut } from '../copy/copy-out.ts';
import { encodeNumbers } from '../copy/encode.ts';
import { type Place, placesSql } from './places.ts';
import { rollupColumns } from './rollup-tables.ts';

const names = rollupColumns.map(({ name }) => name);

/** Replaces all rollups in the places. */
export async function replaceRollups(
  tx: PoolClient,
  table: string,
  { places, rollups }: { places: readonly Place[]; rollups: NumberRows },
): Promise<void> {
  if (places.length > 0)
    await tx.query(
      `delete from ${table} as r using ${placesSql(places)}
       where r.series_id = place.id and r.bucket >= place."from" and r.bucket < place."to"`,
    );
  if (rollups.length > 0)
    await copyIn(tx, `${table} (${names.join(', ')})`, encodeNumbers(rollupColumns, rollups));
}

/** Adds the rollups in the places to `rollups`. */
export async function readRollups(
  tx: PoolClient,
  table: string,
  { places, rollups }: { places: readonly Place[]; rollups: NumberRows },
): Promise<void> {
  if (places.length === 0) return;
  const query = `select ${names.map((name) => `r.${name}`).join(', ')} from ${placesSql(places)}
    join ${table} as r on r.series_id = place.id and r.bucket >= place."from" and r.bucket < place."to"`;
  await copyOut(tx, { query, columns: rollupColumns.map(({ type }) => type) }, (row) => {
    const position = rollups.add();
    for (let column = 0; column < row.length; column += 1)
      rollups.set(position, column, row[column] as number);
  });
}
