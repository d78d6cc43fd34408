import { escapeLiteral } from 'pg';
import { createLedger } from '../../src/ledger/ledger.ts';
import { ensureTables } from '../../src/load/rows/ensure-tables.ts';
import type { Database } from '../../src/postgres/connect.ts';
import { quoteTable } from '../../src/postgres/names.ts';
import { postgresStoreId, type Schemas } from '../../src/postgres/schemas.ts';
import { objectProperties } from '../../src/streams/object-properties.ts';
import { objects } from '../../src/streams/objects.ts';

/** Objects that have names of one kind and coverage of one kind. */
export interface PlantPart {
  /** The objects are named `<prefix>-0000001` and so on. */
  readonly prefix: string;
  readonly objects: number;
  /** Ranges of coverage of each series, with holes of an hour between them. 0 for no coverage at all. */
  readonly fragments: number;
}

export interface LargePlant {
  readonly parts: readonly PlantPart[];
  /** Properties of each object, named `p01` and so on. All of them are persisted. */
  readonly propertiesPerObject: number;
  /** Identities of the stores with coverage. Postgres alone if not given. */
  readonly stores?: readonly string[];
  /** Coverage begins and ends at these times, in epoch seconds. */
  readonly fromSec: number;
  readonly toSec: number;
  /** Series share their holes if there are fewer patterns of holes than series. */
  readonly patterns: number;
}

const HOLE_SEC = 3_600;

/**
 * Fills an empty ledger, and the tables of objects and properties, as years of work would. A few statements
 * make millions of rows. The ledger must be migrated already. Returns the number of series.
 */
export async function fillLargeLedger(db: Database, schemas: Schemas, plant: LargePlant): Promise<number> {
  for (const stream of [objects, objectProperties])
    await ensureTables(db, schemas.data, stream, { keepRaw: false });
  let series = 0;
  for (const part of plant.parts) {
    const filling = { plant, part, after: series };
    await Promise.all([addDirectory, addSeries, addCoverage].map((add) => add(db, schemas, filling)));
    series += part.objects * plant.propertiesPerObject;
  }
  const number = `pg_get_serial_sequence(${escapeLiteral(quoteTable(schemas.data, 'series'))}, 'series_id')`;
  await db.query(`select setval(${number}, $1::bigint + 1, false)`, [series]);
  await addScans(db, schemas, plant);
  for (const table of ['objects', 'object_properties', 'series'])
    await db.query(`vacuum analyze ${quoteTable(schemas.data, table)}`);
  await db.query(`vacuum analyze ${quoteTable(schemas.ledger, 'coverage')}`);
  return series;
}

interface Filling {
  readonly plant: LargePlant;
  readonly part: PlantPart;
  /** Number of the last series of the parts before. */
  readonly after: number;
}

async function addDirectory(db: Database, { data }: Schemas, { plant, part }: Filling): Promise<void> {
  await db.query(
    `insert into ${quoteTable(data, 'objects')} (name, show_name, status)
     select ${nameSql('$1::text', 'n')}, 'Machine ' || n, true from generate_series(1, $2::int) as n`,
    [part.prefix, part.objects],
  );
  await db.query(
    `insert into ${quoteTable(data, 'object_properties')}
       (object, property, show_name, primitive_type, persisted, logged)
     select ${nameSql('$1::text', 'n')}, ${propertySql('p')}, 'Reading ' || p, ${TYPE_SQL}, true, false
     from generate_series(1, $2::int) as n, generate_series(1, $3::int) as p`,
    [part.prefix, part.objects, plant.propertiesPerObject],
  );
}

/** Adds the series of a part, numbered from `after + 1` on in the order of their names. */
async function addSeries(db: Database, { data }: Schemas, { plant, part, after }: Filling): Promise<void> {
  await db.query(
    `insert into ${quoteTable(data, 'series')} (series_id, object, property, primitive_type)
     overriding system value
     select $4::bigint + (n - 1)::bigint * $3 + p, ${nameSql('$1::text', 'n')}, ${propertySql('p')}, ${TYPE_SQL}
     from generate_series(1, $2::int) as n, generate_series(1, $3::int) as p`,
    [part.prefix, part.objects, plant.propertiesPerObject, after],
  );
}

async function addCoverage(db: Database, schemas: Schemas, { plant, part, after }: Filling): Promise<void> {
  if (part.fragments === 0) return;
  for (const store of plant.stores ?? [postgresStoreId(schemas.data)])
    await db.query(
      `insert into ${quoteTable(schemas.ledger, 'coverage')} (store, stream, series_id, covered)
       select $1, 'history', id, ${coveredSql(plant, part)}
       from generate_series($2::bigint + 1, $2::bigint + $3::bigint) as id`,
      [store, after, part.objects * plant.propertiesPerObject],
    );
}

/** Returns the SQL of the covered ranges of series `id`: as many as the part has fragments. */
function coveredSql({ fromSec, toSec, patterns }: LargePlant, { fragments }: PlantPart): string {
  const slotSec = (toSec - fromSec) / fragments;
  const spreadSec = Math.max(1, Math.floor(slotSec - 2 * HOLE_SEC));
  const holeSec = (k: number) =>
    `${fromSec + k * slotSec} + (id % ${patterns} * 7919 + ${k * 104_729}) % ${spreadSec}`;
  const fragment = (k: number) => {
    const from = k === 0 ? `${fromSec}` : `${holeSec(k)} + ${HOLE_SEC}`;
    const to = k === fragments - 1 ? `${toSec}` : holeSec(k + 1);
    return `tstzrange(to_timestamp(${from}), to_timestamp(${to}))`;
  };
  return `tstzmultirange(${Array.from({ length: fragments }, (_, k) => fragment(k)).join(', ')})`;
}

/** Notes that the lists of objects and properties were read to their end. */
async function addScans(db: Database, schemas: Schemas, plant: LargePlant): Promise<void> {
  const { scans } = createLedger(db, schemas);
  const count = plant.parts.reduce((sum, part) => sum + part.objects, 0);
  const records = { objects: count, object_properties: count * plant.propertiesPerObject };
  for (const [stream, number] of Object.entries(records)) {
    const { id } = await scans.begin(stream);
    await scans.finish(id, { complete: true, stable: true, pages: 1, records: number });
  }
}

function nameSql(prefix: string, number: string): string {
  return `${prefix} || '-' || lpad(${number}::text, 7, '0')`;
}

function propertySql(number: string): string {
  return `'p' || lpad(${number}::text, 2, '0')`;
}

/** Most properties hold numbers; every tenth holds texts. */
const TYPE_SQL = `case when p % 10 = 0 then 'String' else 'Double' end`;
