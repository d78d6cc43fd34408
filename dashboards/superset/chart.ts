import { datasetOf } from './datasets.ts';

/** A chart with all that Superset keeps of it. */
export interface Chart {
  readonly name: string;
  readonly about: string;
  readonly dataset: string;
  readonly viz: string;
  /** Width in twelfths of the page, and height in units of eight pixels. */
  readonly width: number;
  readonly height: number;
  /** What the page of Superset draws the chart from. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The query that the API runs for the chart. */
  readonly query: Readonly<Record<string, unknown>>;
}

export interface Place {
  readonly name: string;
  readonly about: string;
  readonly dataset: string;
  readonly width: number;
  readonly height?: number;
  /** A condition in SQL on the rows of the dataset. */
  readonly where?: string;
  /** How far back the chart looks if the dashboard sets no range, such as `-14, day`. */
  readonly back?: string;
}

export const ROW_LIMIT = 10_000;
const HEIGHT = 44;

/** Returns how a metric of a dataset is written. Throws an error if the dataset lacks the metric. */
export function formatOf(dataset: string, metric: string): string {
  const found = datasetOf(dataset).metrics.find(({ name }) => name === metric);
  if (found === undefined) throw new Error(`dataset ${dataset} has no metric ${metric}: add it`);
  return found.format ?? 'SMART_NUMBER';
}

/** Makes a chart with what charts of all kinds have: their conditions, and the limit of their rows. */
export function chartOf(
  place: Place,
  viz: string,
  { params, query }: { params: Record<string, unknown>; query: Record<string, unknown> },
): Chart {
  const { time } = datasetOf(place.dataset);
  const range = place.back === undefined ? 'No filter' : rangeOf(place.back);
  const filters = [
    ...(time === undefined ? [] : [rangeFilter(time, range)]),
    ...(place.where === undefined ? [] : [whereFilter(place.where)]),
  ];
  const hasRange = time !== undefined && place.back !== undefined;
  return {
    ...{ name: place.name, about: place.about, dataset: place.dataset, viz, width: place.width },
    height: place.height ?? HEIGHT,
    params: {
      viz_type: viz,
      adhoc_filters: filters,
      row_limit: ROW_LIMIT,
      color_scheme: 'supersetColors',
      annotation_layers: [],
      extra_form_data: {},
      ...params,
    },
    query: {
      filters: hasRange ? [{ col: time, op: 'TEMPORAL_RANGE', val: range }] : [],
      row_limit: ROW_LIMIT,
      ...query,
      extras: { where: place.where === undefined ? '' : `(${place.where})`, ...(query.extras ?? {}) },
    },
  };
}

/** The range up to a day after now, since the clock of the plant may be ahead of UTC. */
function rangeOf(back: string): string {
  return `DATEADD(DATETIME("now"), ${back}) : DATEADD(DATETIME("now"), 1, day)`;
}

function rangeFilter(column: string, range: string): object {
  return {
    clause: 'WHERE',
    comparator: range,
    expressionType: 'SIMPLE',
    operator: 'TEMPORAL_RANGE',
    subject: column,
  };
}

function whereFilter(sql: string): object {
  return { clause: 'WHERE', expressionType: 'SQL', sqlExpression: sql };
}
