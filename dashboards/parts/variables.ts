import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { postgres, trim } from './sources.ts';

export type Variable = Builder<VariableModel>;

function dataSource(name: string, options: { label: string; type: string; uid: string }): Variable {
  return new DatasourceVariableBuilder(name)
    .label(options.label)
    .description(`Data source that this dashboard asks. Provisioning names it ${options.uid}.`)
    .type(options.type)
    .current({ text: options.label, value: options.uid })
    .allowCustomValue(false);
}

export const postgresSource = (): Variable =>
  dataSource('postgres', { label: 'Postgres', type: postgres.type ?? '', uid: 'plantsync-postgres' });
export const influxSource = (): Variable =>
  dataSource('influx', { label: 'InfluxDB', type: 'influxdb', uid: 'plantsync-influx' });
export const prometheusSource = (): Variable =>
  dataSource('prometheus', { label: 'Prometheus', type: 'prometheus', uid: 'plantsync-prometheus' });

export interface FromQuery {
  readonly label: string;
  readonly about: string;
  readonly query: string;
  /** Whether several values can be chosen. The default is true. */
  readonly multi?: boolean;
  /**
   * What "All" stands for. `every value` lists all values. With `sql`, Grafana puts that text into the query
   * as it is. Undefined if there is no "All".
   */
  readonly all?: 'every value' | { readonly sql: string };
}

/**
 * Makes a variable whose values PostgreSQL knows. The query returns `__value`, and `__text` as people read
 * it. With `$__searchFilter` in the query, Grafana asks again while people type.
 */
export function choice(name: string, { label, about, query, multi = true, all }: FromQuery): Variable {
  const text = trim(query);
  const builder = new QueryVariableBuilder(name)
    .label(label)
    .description(about)
    .datasource(postgres)
    .query(text)
    .refresh(VariableRefresh.OnDashboardLoad)
    .sort(VariableSort.Disabled)
    .multi(multi)
    .includeAll(all !== undefined);
  if (all !== undefined) builder.current({ text: ['All'], value: ['$__all'] });
  if (typeof all === 'object') builder.allValue(trim(all.sql));
  // The list of variables in the settings of a dashboard shows the definition.
  return { build: () => ({ ...builder.build(), definition: text }) };
}

/** Makes a variable with fixed values: pairs of what people read, and what the query gets. */
export function fixed(
  name: string,
  { label, about, values }: { label: string; about: string; values: readonly (readonly [string, string])[] },
): Variable {
  const options = values.map(([text, value], index) => ({ text, value, selected: index === 0 }));
  const [first] = options;
  if (first === undefined) throw new Error(`the variable ${name} has no values`);
  return new CustomVariableBuilder(name)
    .label(label)
    .description(about)
    .values(values.map(([text, value]) => `${text} : ${value}`).join(', '))
    .options(options)
    .current(first)
    .allowCustomValue(false);
}
