import type { TargetJson } from './committed-dashboards.ts';
import type { FullPlant } from './full-plant.ts';
import { expandInfluxql, expandSql, type GrafanaRequest } from './grafana-macros.ts';

export type ColumnKind = 'time' | 'number' | 'text' | 'boolean' | 'other';

/** The answer to a query, as Grafana gets it: columns with a kind, and rows. */
export interface Frame {
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
  readonly rows: readonly (readonly unknown[])[];
}

const INSTANT = 1184;
/** How the driver of Grafana reads the types of PostgreSQL, by their numbers. */
const KINDS: Readonly<Record<number, ColumnKind>> = {
  16: 'boolean',
  ...{ 20: 'number', 21: 'number', 23: 'number', 700: 'number', 701: 'number', 1700: 'number' },
  ...{ 1082: 'time', 1114: 'time', [INSTANT]: 'time' },
  ...{ 19: 'text', 25: 'text', 1043: 'text' },
};

/** Asks one query. Resolves to one frame of PostgreSQL, and to one for each series of InfluxDB. */
export async function askQuery(
  plant: FullPlant,
  target: TargetJson,
  request: GrafanaRequest,
): Promise<readonly Frame[]> {
  if (target.rawSql !== undefined) return [await askPostgres(plant, expandSql(target.rawSql, request))];
  if (target.query !== undefined) return askInflux(plant, expandInfluxql(target.query, request));
  throw new Error('the query is neither in SQL nor in InfluxQL');
}

export async function askPostgres({ reader }: Pick<FullPlant, 'reader'>, sql: string): Promise<Frame> {
  const { fields, rows } = await reader.query({ text: sql, rowMode: 'array' } as never);
  const isInstant = fields.map(({ dataTypeID }) => dataTypeID === INSTANT);
  return {
    columns: fields.map(({ name, dataTypeID }) => ({ name, kind: KINDS[dataTypeID] ?? 'other' })),
    // Our own client returns microseconds, and Grafana has milliseconds.
    rows: (rows as unknown as unknown[][]).map((row) =>
      row.map((value, k) => (isInstant[k] && typeof value === 'number' ? value / 1_000 : value)),
    ),
  };
}

async function askInflux(plant: FullPlant, query: string): Promise<Frame[]> {
  const { results, error } = (await plant.askInflux(query)) as Awaited<ReturnType<FullPlant['askInflux']>> & {
    error?: string;
  };
  const failure = error ?? results.find((result) => result.error !== undefined)?.error;
  if (failure !== undefined) throw new Error(failure);
  return results.flatMap(({ series = [] }) =>
    series.map(({ columns, values, tags = {} }) => ({
      columns: [
        ...columns.map((name, place) => ({
          name,
          kind: kindOf(
            name,
            values.map((row) => row[place]),
          ),
        })),
        ...Object.keys(tags).map((name) => ({ name, kind: 'text' as const })),
      ],
      rows: values.map((row) => [...row, ...Object.values(tags)]),
    })),
  );
}

function kindOf(name: string, values: readonly unknown[]): ColumnKind {
  if (name === 'time') return 'time';
  const value = values.find((one) => one !== null);
  return typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'boolean' : 'number';
}
