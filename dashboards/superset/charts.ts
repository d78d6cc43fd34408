import { type Chart, chartOf, formatOf, type Place, ROW_LIMIT } from './chart.ts';

/** Makes a chart of one large number. */
export function bigNumber(place: Place & { metric: string; note: string }): Chart {
  return chartOf({ height: 18, ...place }, 'big_number_total', {
    params: {
      metric: place.metric,
      subheader: place.note,
      y_axis_format: formatOf(place.dataset, place.metric),
      header_font_size: 0.4,
      subheader_font_size: 0.2,
    },
    query: { columns: [], metrics: [place.metric] },
  });
}

export interface Course extends Place {
  /** The column of the time axis, and the length of its steps. */
  readonly x: string;
  readonly grain: 'PT1H' | 'P1D' | 'P1W';
  readonly metrics: readonly string[];
  readonly by?: readonly string[];
  readonly yTitle: string;
  /** The bounds of the y axis, where they are not those of the data. */
  readonly bounds?: readonly [number | null, number | null];
  readonly stacked?: boolean;
}

/** Makes a line over time. A step without rows breaks the line. */
export function lineOf(course: Course): Chart {
  return courseOf(course, 'echarts_timeseries_line', {
    connectNulls: false,
    markerEnabled: true,
    markerSize: 3,
    // A step that has no row of any line is put in without a value.
    resample_rule: { PT1H: '1h', P1D: '1D', P1W: '1W-MON' }[course.grain],
    resample_method: 'asfreq',
  });
}

/** Makes bars over time, one upon the other where there are several. */
export function barsOf(course: Course): Chart {
  return courseOf(course, 'echarts_timeseries_bar', { stack: course.stacked === false ? null : 'Stack' });
}

function courseOf(course: Course, viz: string, more: Record<string, unknown>): Chart {
  const { x, grain, metrics, by = [], bounds = [null, null] } = course;
  return chartOf(course, viz, {
    params: {
      x_axis: x,
      time_grain_sqla: grain,
      metrics,
      groupby: by,
      order_desc: true,
      y_axis_title: course.yTitle,
      y_axis_title_margin: 55,
      y_axis_title_position: 'Left',
      y_axis_format: formatOf(course.dataset, metrics[0] ?? ''),
      y_axis_bounds: bounds,
      truncateYAxis: bounds.some((bound) => bound !== null),
      x_axis_time_format: grain === 'PT1H' ? '%d %b %H:%M' : '%d %b',
      tooltipTimeFormat: grain === 'PT1H' ? '%d %b %H:%M' : '%a %d %b',
      rich_tooltip: true,
      show_legend: by.length > 0 || metrics.length > 1,
      legendType: 'scroll',
      legendOrientation: 'top',
      ...more,
    },
    query: {
      columns: [axisOf(x, grain), ...by],
      series_columns: by,
      metrics,
      extras: { time_grain_sqla: grain },
    },
  });
}

function axisOf(column: string, grain: string): object {
  return {
    columnType: 'BASE_AXIS',
    expressionType: 'SQL',
    label: column,
    sqlExpression: column,
    timeGrain: grain,
  };
}

/** Makes a table of single rows. */
export function tableOf(
  place: Place & {
    columns: readonly string[];
    order: readonly [string, 'asc' | 'desc'][];
    limit?: number;
    timeFormat?: string;
  },
): Chart {
  const orders = place.order.map(([column, way]) => [column, way === 'asc']);
  const limit = place.limit ?? 1000;
  return chartOf(place, 'table', {
    params: {
      query_mode: 'raw',
      all_columns: place.columns,
      order_by_cols: orders.map((order) => JSON.stringify(order)),
      row_limit: limit,
      table_timestamp_format: place.timeFormat ?? '%Y-%m-%d %H:%M:%S',
      show_cell_bars: false,
      column_config: Object.fromEntries(place.columns.flatMap(columnConfigOf)),
    },
    query: { columns: place.columns, orderby: orders, row_limit: limit },
  });
}

/** Seconds and shares are written short. */
function columnConfigOf(column: string): [string, object][] {
  if (column.endsWith('_sec')) return [[column, { d3NumberFormat: ',.0f' }]];
  return column.endsWith('share') ? [[column, { d3NumberFormat: '.1%' }]] : [];
}

export interface Map extends Place {
  readonly x: string;
  readonly y: string;
  readonly metric: string;
  readonly scheme: string;
  readonly bounds?: readonly [number, number];
  /** The format of times on the x axis. */
  readonly timeFormat?: string;
}

/** Makes a map of coloured cells. */
export function heatmapOf(map: Map): Chart {
  return chartOf(map, 'heatmap_v2', {
    params: {
      x_axis: map.x,
      groupby: map.y,
      metric: map.metric,
      linear_color_scheme: map.scheme,
      normalize_across: 'heatmap',
      value_bounds: map.bounds ?? [null, null],
      sort_x_axis: 'alpha_asc',
      sort_y_axis: 'alpha_desc',
      y_axis_format: formatOf(map.dataset, map.metric),
      ...(map.timeFormat && { x_axis_time_format: map.timeFormat, time_grain_sqla: 'P1D' }),
      show_legend: true,
      legend_type: 'continuous',
      xscale_interval: map.timeFormat === undefined ? 1 : 2,
      yscale_interval: 1,
      left_margin: 100,
      bottom_margin: 'auto',
    },
    query: { columns: [map.x, map.y], metrics: [map.metric] },
  });
}

/** Makes bars of one metric and a line of a share, over names. */
export function paretoOf(place: Place & { x: string; bars: string; line: string }): Chart {
  return chartOf(place, 'mixed_timeseries', {
    params: {
      x_axis: place.x,
      metrics: [place.bars],
      metrics_b: [place.line],
      groupby: [],
      groupby_b: [],
      adhoc_filters_b: [],
      row_limit_b: ROW_LIMIT,
      seriesType: 'bar',
      seriesTypeB: 'line',
      markerEnabledB: true,
      markerSizeB: 6,
      yAxisIndex: 0,
      yAxisIndexB: 1,
      y_axis_title: 'alarms',
      y_axis_title_margin: 30,
      y_axis_format: formatOf(place.dataset, place.bars),
      y_axis_format_secondary: formatOf(place.dataset, place.line),
      y_axis_bounds: [0, null],
      y_axis_bounds_secondary: [0, 1],
      truncateYAxis: true,
      xAxisLabelRotation: 90,
      rich_tooltip: true,
      show_legend: true,
      legendType: 'scroll',
      legendOrientation: 'top',
    },
    query: { columns: [place.x], metrics: [place.bars, place.line], orderby: [[place.x, true]] },
  });
}
