import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { DataSourceRef } from '@grafana/grafana-foundation-sdk/dashboard';

/**
 * The data sources are variables of each dashboard. So a dashboard works in a Grafana whose sources have
 * other names: people choose them at the top.
 */
export const postgres: DataSourceRef = { type: 'grafana-postgresql-datasource', uid: '${postgres}' };
export const influx: DataSourceRef = { type: 'influxdb', uid: '${influx}' };
export const prometheus: DataSourceRef = { type: 'prometheus', uid: '${prometheus}' };

/** One query of a panel or an annotation, as the data source stores it in the dashboard. */
export interface Query extends Dataquery {
  readonly refId: string;
  readonly datasource: DataSourceRef;
}

export type QueryBuilder = Builder<Query>;

/** Makes a query for PostgreSQL. It returns a table, and transformations of the panel make series of it. */
export function sql(text: string, refId = 'A'): QueryBuilder {
  return query({
    refId,
    datasource: postgres,
    editorMode: 'code',
    format: 'table',
    rawQuery: true,
    rawSql: trim(text),
  });
}

export interface InfluxqlOptions {
  readonly refId?: string;
  /** Name of a series, such as `$tag_object`. With it the result is series, else a table. */
  readonly alias?: string;
}

/** Makes a query in InfluxQL, which InfluxDB 1, 2 and 3 answer. */
export function influxql(text: string, { refId = 'A', alias }: InfluxqlOptions = {}): QueryBuilder {
  return query({
    refId,
    datasource: influx,
    rawQuery: true,
    query: trim(text),
    resultFormat: alias === undefined ? 'table' : 'time_series',
    ...(alias === undefined ? {} : { alias }),
  });
}

export interface PromqlOptions {
  readonly refId?: string;
  readonly legend?: string;
  /** Whether only the newest value counts. */
  readonly instant?: boolean;
}

/** Makes a query in PromQL. */
export function promql(
  expr: string,
  { refId = 'A', legend, instant = false }: PromqlOptions = {},
): QueryBuilder {
  return query({
    refId,
    datasource: prometheus,
    editorMode: 'code',
    expr: trim(expr),
    instant,
    range: !instant,
    ...(legend === undefined ? {} : { legendFormat: legend }),
  });
}

function query(model: Omit<Query, '_implementsDataqueryVariant'> & Record<string, unknown>): QueryBuilder {
  return { build: () => ({ ...model, _implementsDataqueryVariant: () => undefined }) };
}

/** Removes the indentation that the text has in the source. */
export function trim(text: string): string {
  const lines = text.replace(/^\n/, '').trimEnd().split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const common = Math.min(...indents);
  return lines.map((line) => line.slice(common)).join('\n');
}
