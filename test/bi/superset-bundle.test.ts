import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { makeBundle } from '../../dashboards/superset/bundle.ts';
import { biViews } from '../../src/bi/views/all.ts';

const FOLDER = 'config/superset/bundle';

interface Dataset {
  readonly uuid: string;
  readonly schema: string;
  readonly table_name: string;
  readonly sql: string | null;
  readonly database_uuid: string;
  readonly main_dttm_col: string | null;
  readonly columns: readonly { readonly column_name: string }[];
  readonly metrics: readonly { readonly metric_name: string }[];
}
interface Chart {
  readonly uuid: string;
  readonly slice_name: string;
  readonly dataset_uuid: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query_context: string;
}
interface Dashboard {
  readonly position: Readonly<Record<string, { type?: string; meta?: { uuid?: string; width?: number } }>>;
  readonly metadata: {
    readonly native_filter_configuration: readonly {
      readonly targets: readonly { readonly column?: { name: string }; readonly datasetUuid?: string }[];
    }[];
  };
}

const paths = (readdirSync(FOLDER, { recursive: true }) as string[]).filter((path) => path.endsWith('.yaml'));
/** Superset reads YAML 1.1. */
const files = new Map(
  paths.map((path) => [path, parse(readFileSync(join(FOLDER, path), 'utf8'), { version: '1.1' })] as const),
);
const filesBelow = <T>(folder: string): T[] =>
  [...files].filter(([path]) => path.startsWith(`${folder}/`)).map(([, file]) => file as T);
const [database] = filesBelow<{ uuid: string; sqlalchemy_uri: string }>('databases');
const datasets = filesBelow<Dataset>('datasets');
const charts = filesBelow<Chart>('charts');
const dashboards = filesBelow<Dashboard>('dashboards');
const datasetOf = (uuid: string) => datasets.find((dataset) => dataset.uuid === uuid);

it('is what the definitions make: else run npm run superset-bundle', () => {
  const made = makeBundle(biViews);
  expect([...files.keys()].sort()).toEqual([...made.keys()].sort());
  for (const [path, file] of made) expect(files.get(path), path).toEqual(JSON.parse(JSON.stringify(file)));
});

it('holds no password, and asks for one', () => {
  expect(new URL(database?.sqlalchemy_uri ?? '').password).toBe('XXXXXXXXXX');
});

it('has no identity twice', () => {
  const all = [...datasets, ...charts, ...dashboards, database].map(
    (file) => (file as { uuid: string }).uuid,
  );
  expect(new Set(all).size).toBe(all.length);
});

describe.each(datasets)('the dataset $table_name', (dataset) => {
  it('belongs to the database, and reads views that exist', () => {
    expect(dataset.database_uuid).toBe(database?.uuid);
    expect(dataset.schema).toBe('bi');
    const named = [...(dataset.sql ?? `bi.${dataset.table_name}`).matchAll(/\bbi\.(\w+)/g)].map(
      ([, name]) => name,
    );
    expect(named).not.toEqual([]);
    expect(biViews.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  });

  it('has its column of time', () => {
    const names = dataset.columns.map(({ column_name }) => column_name);
    if (dataset.main_dttm_col !== null) expect(names).toContain(dataset.main_dttm_col);
  });
});

describe.each(charts)('the chart $slice_name', ({ dataset_uuid, params, query_context }) => {
  const dataset = datasetOf(dataset_uuid);
  const columns = new Set(dataset?.columns.map(({ column_name }) => column_name));
  const metrics = new Set(dataset?.metrics.map(({ metric_name }) => metric_name));
  const listed = (...names: string[]) => names.flatMap((name) => params[name] ?? []) as string[];

  it('shows metrics and columns of its dataset', () => {
    const shown = listed('metric', 'metrics', 'metrics_b');
    const used = listed('x_axis', 'groupby', 'all_columns');
    expect(shown.length + used.length).toBeGreaterThan(0);
    expect(shown.filter((name) => !metrics.has(name))).toEqual([]);
    expect(used.filter((name) => !columns.has(name))).toEqual([]);
  });

  it('asks the API for the same', () => {
    const [query] = JSON.parse(query_context).queries;
    const asked = (query.columns as (string | { label: string })[]).map((column) =>
      typeof column === 'string' ? column : column.label,
    );
    expect(asked.filter((name) => !columns.has(name))).toEqual([]);
    expect((query.metrics ?? []).filter((name: string) => !metrics.has(name))).toEqual([]);
  });
});

it('shows every chart once, in rows that are as wide as the page', () => {
  const shown = dashboards.flatMap(({ position }) =>
    Object.values(position).flatMap(({ meta }) => meta?.uuid ?? []),
  );
  expect(shown.sort()).toEqual(charts.map(({ uuid }) => uuid).sort());
  for (const { position } of dashboards)
    for (const row of Object.values(position).filter(({ type }) => type === 'ROW')) {
      const children = (row as unknown as { children: string[] }).children;
      expect(children.reduce((sum, id) => sum + (position[id]?.meta?.width ?? 0), 0)).toBe(12);
    }
});

it('filters by columns that exist', () => {
  const targets = dashboards.flatMap(({ metadata }) =>
    metadata.native_filter_configuration.flatMap((filter) => filter.targets),
  );
  for (const { column, datasetUuid } of targets) {
    if (column === undefined) continue;
    const names = datasetOf(datasetUuid ?? '')?.columns.map(({ column_name }) => column_name);
    expect(names).toContain(column.name);
  }
});
