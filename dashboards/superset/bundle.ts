import type { BiColumn, BiView } from '../../src/bi/bi-view.ts';
import type { Chart } from './chart.ts';
import type { Dataset } from './dataset.ts';
import { datasetOf, datasets } from './datasets.ts';
import { layOut } from './lay-out.ts';
import { uuidOf } from './name-uuid.ts';
import { pages } from './pages.ts';

const DATABASE = 'plantsync';
const VERSION = '1.0.0';
const databaseUuid = uuidOf(`database ${DATABASE}`);
/** No date, so that the bundle changes only with what it holds. */
const EPOCH = '1970-01-01T00:00:00+00:00';

/**
 * Returns the files of the bundle: paths below its folder, and what each file holds. The columns of the
 * datasets are those of the views.
 */
export function makeBundle(views: readonly BiView[]): Map<string, object> {
  const charts = pages.flatMap(({ rows }) => rows.flat());
  return new Map<string, object>([
    ['metadata.yaml', { version: VERSION, type: 'assets', timestamp: EPOCH }],
    [`databases/${DATABASE}.yaml`, databaseFile],
    ...datasets.map((dataset): [string, object] => [
      `datasets/${DATABASE}/${fileName(dataset.name)}`,
      datasetFile(dataset, views),
    ]),
    ...charts.map((chart): [string, object] => [`charts/${fileName(chart.name)}`, chartFile(chart)]),
    ...pages.map((page): [string, object] => [`dashboards/${fileName(page.title)}`, layOut(page, VERSION)]),
  ]);
}

function fileName(name: string): string {
  return `${name.replace(/[^A-Za-z0-9]+/g, '_')}.yaml`;
}

/** The connection. Superset asks for the password when the bundle is imported. */
const databaseFile = {
  database_name: DATABASE,
  sqlalchemy_uri: 'postgresql+psycopg2://reader:XXXXXXXXXX@localhost:5432/plantsync',
  cache_timeout: null,
  expose_in_sqllab: true,
  allow_run_async: false,
  allow_ctas: false,
  allow_cvas: false,
  allow_dml: false,
  allow_file_upload: false,
  extra: { allows_virtual_table_explore: true, metadata_params: {}, engine_params: {} },
  uuid: databaseUuid,
  version: VERSION,
};

function datasetFile(dataset: Dataset, views: readonly BiView[]): object {
  const { name, view, sql, only, added = [], time, metrics } = dataset;
  const found = views.find((one) => one.name === view);
  if (found === undefined) throw new Error(`schema bi has no view ${view} for the dataset ${name}`);
  const isKept = (column: BiColumn) => only?.includes(column.name) ?? true;
  return {
    table_name: name,
    main_dttm_col: time ?? null,
    description: found.about,
    schema: 'bi',
    sql: sql ?? null,
    filter_select_enabled: true,
    uuid: uuidOf(`dataset ${name}`),
    metrics: metrics.map((metric) => ({
      metric_name: metric.name,
      verbose_name: metric.label,
      expression: metric.sql,
      d3format: metric.format ?? null,
    })),
    columns: [...added, ...found.columns.filter(isKept)].map(columnFile),
    version: VERSION,
    database_uuid: databaseUuid,
  };
}

function columnFile({ name, type, about }: BiColumn): object {
  return {
    column_name: name,
    verbose_name: labelOf(name),
    is_dttm: /^(timestamp|date)/.test(type),
    is_active: true,
    type: type.toUpperCase(),
    groupby: true,
    filterable: true,
    expression: null,
    description: about,
  };
}

/** A heading that people read: `Duration (s)` for `duration_sec`. */
function labelOf(column: string): string {
  const words = column.replace(/_sec$/, ' (s)').replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function chartFile({ name, about, dataset, viz, params, query }: Chart): object {
  return {
    slice_name: name,
    description: about,
    viz_type: viz,
    params,
    query_context: JSON.stringify({
      datasource: { id: 0, type: 'table' },
      force: false,
      queries: [query],
      form_data: params,
      result_format: 'json',
      result_type: 'full',
    }),
    cache_timeout: null,
    uuid: uuidOf(`chart ${name}`),
    version: VERSION,
    dataset_uuid: uuidOf(`dataset ${datasetOf(dataset).name}`),
  };
}
