import { decodeTag } from '../../src/load/stores/influx/line-protocol.ts';
import { type ExpectedPoint, expectedPoints } from '../support/truth/expected-points.ts';
import { type FaultSite, influxDatabase } from './site.ts';

/** The points of one store, compared with the truth. */
export interface StoreCount {
  readonly store: string;
  readonly lost: number;
  /** The points that are stored more than once. */
  readonly doubled: number;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The number of stored points by series and time, as `object.property at`. */
type Stored = Map<string, number>;

interface CountedStore {
  readonly store: string;
  read(site: FaultSite, span: Span): Promise<Stored>;
  /** Tells whether the store holds such a point. */
  holds(point: ExpectedPoint): boolean;
}

const stores: readonly CountedStore[] = [
  { store: 'Postgres', read: readPostgres, holds: () => true },
  // InfluxDB has no point without a value.
  { store: 'InfluxDB', read: readInflux, holds: ([, value, text]) => value !== null || text !== null },
];

/** Compares the points of each store in `[fromMs, toMs)` with the truth. */
export async function countPoints(site: FaultSite, span: Span): Promise<StoreCount[]> {
  const { truth } = site;
  const names = [...truth.truth.series()].map(({ object, property }) => `${object}.${property}`);
  return Promise.all(
    stores.map(async ({ store, read, holds }) => {
      const stored = await read(site, span);
      const missing = names.flatMap((name) =>
        expectedPoints(truth, name, span).filter(
          (point) => holds(point) && !stored.has(`${name} ${point[0]}`),
        ),
      );
      const doubled = [...stored.values()].filter((count) => count > 1).length;
      return { store, lost: missing.length, doubled };
    }),
  );
}

async function readPostgres({ db }: FaultSite, { fromMs, toMs }: Span): Promise<Stored> {
  const { rows } = await db.query(
    `select concat(object, '.', property) as name, (extract(epoch from at) * 1000000)::bigint as at, count(*)::int as count
     from plant.samples join plant.series using (series_id)
     where at >= to_timestamp($1) and at < to_timestamp($2) group by 1, 2`,
    [fromMs / 1000, toMs / 1000],
  );
  return new Map(rows.map(({ name, at, count }) => [`${name} ${at}`, Number(count)]));
}

interface InfluxReply {
  readonly results: readonly {
    readonly error?: string;
    readonly series?: readonly {
      readonly tags: Readonly<Record<string, string>>;
      readonly values: readonly (readonly unknown[])[];
    }[];
  }[];
}

/** Reads by all tags, so that a point under two sets of tags counts twice. */
async function readInflux({ influx }: FaultSite, { fromMs, toMs }: Span): Promise<Stored> {
  const statement = `select "value", "text" from "runtime" where time >= ${fromMs}ms and time < ${toMs}ms group by *`;
  const query = new URLSearchParams({ db: influxDatabase, epoch: 'u', q: statement });
  const reply = await fetch(`${influx.url}/query?${query}`);
  const { results } = (await reply.json()) as InfluxReply;
  const stored: Stored = new Map();
  for (const { error, series = [] } of results) {
    if (error !== undefined) throw new Error(`InfluxDB does not tell its points: ${error}`);
    for (const { tags, values } of series)
      for (const [at] of values) {
        const point = `${decodeTag(tags.object ?? '')}.${decodeTag(tags.property ?? '')} ${at}`;
        stored.set(point, (stored.get(point) ?? 0) + 1);
      }
  }
  return stored;
}
