import { PanelBuilder as BarChart } from '@grafana/grafana-foundation-sdk/barchart';
import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TableCellDisplayMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import type { DataSourceRef, DynamicConfigValue } from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as StateTimeline } from '@grafana/grafana-foundation-sdk/statetimeline';
import { PanelBuilder as StatusHistory } from '@grafana/grafana-foundation-sdk/statushistory';
import { PanelBuilder as Table } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeSeries } from '@grafana/grafana-foundation-sdk/timeseries';
import { partitionBySeries } from './frames.ts';
import type { QueryBuilder } from './sources.ts';

export interface PanelOptions {
  readonly title: string;
  /** What the panel answers, in sentences for the people who look at it. */
  readonly about: string;
  readonly query: QueryBuilder | readonly QueryBuilder[];
  /** Width of 24 columns. */
  readonly width: number;
  readonly height: number;
}

/** What all kinds of panels can be told. */
interface AnyPanel {
  title(title: string): unknown;
  description(text: string): unknown;
  datasource(source: DataSourceRef): unknown;
  withTarget(query: QueryBuilder): unknown;
  span(columns: number): unknown;
  height(rows: number): unknown;
}

function fill<T extends AnyPanel>(panel: T, { title, about, query, width, height }: PanelOptions): T {
  panel.title(title);
  panel.description(about);
  panel.span(width);
  panel.height(height);
  const queries: readonly QueryBuilder[] = 'build' in query ? [query] : query;
  const [first] = queries;
  if (first === undefined) throw new Error(`the panel ${title} has no query`);
  panel.datasource(first.build().datasource);
  for (const one of queries) panel.withTarget(one);
  return panel;
}

const tooltip = () =>
  new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending);

function legend(calcs: readonly string[] = []) {
  return new VizLegendOptionsBuilder()
    .displayMode(calcs.length > 0 ? LegendDisplayMode.Table : LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom)
    .showLegend(true)
    .calcs([...calcs]);
}

/** Lines over time. A null ends the line: what is not known has no line. */
export function lines(options: PanelOptions): TimeSeries {
  return fill(new TimeSeries(), options)
    .lineWidth(1)
    .fillOpacity(0)
    .spanNulls(false)
    .showPoints(VisibilityMode.Auto)
    .pointSize(4)
    .legend(legend(['min', 'mean', 'max']))
    .tooltip(tooltip());
}

/** Bars over time, one on top of the other. */
export function barsOverTime(options: PanelOptions): TimeSeries {
  return fill(new TimeSeries(), options)
    .drawStyle(GraphDrawStyle.Bars)
    .lineWidth(0)
    .fillOpacity(80)
    .stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'))
    .min(0)
    .legend(legend(['sum']))
    .tooltip(tooltip());
}

/** Bars of categories, one on top of the other. The first text column names the categories. */
export function bars(options: PanelOptions): BarChart {
  return fill(new BarChart(), options)
    .stacking(StackingMode.Normal)
    .showValue(VisibilityMode.Never)
    .fillOpacity(80)
    .lineWidth(0)
    .xTickLabelRotation(-45)
    .xTickLabelSpacing(100)
    .legend(legend())
    .tooltip(tooltip());
}

/** One big number for each numeric column. */
export function stat(options: PanelOptions): Stat {
  return fill(new Stat(), options)
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false));
}

/** One big number for each row, named by its text column. */
export function statPerRow(options: PanelOptions): Stat {
  return stat(options).reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(true));
}

/** Stretches of states, one lane for each series. Columns: time, end, series, Value. */
export function lanes(options: PanelOptions): StateTimeline {
  return timelineOfSeries(options).withTransformation(partitionBySeries());
}

/** Stretches of states. Each series is a lane, and each point begins a stretch. */
export function timelineOfSeries(options: PanelOptions): StateTimeline {
  return fill(new StateTimeline(), options)
    .mergeValues(true)
    .showValue(VisibilityMode.Auto)
    .fillOpacity(80)
    .lineWidth(0)
    .rowHeight(0.9)
    .legend(legend())
    .tooltip(tooltip());
}

/** A cell for each series and step of time, coloured by a share. Columns: time, series, Value. */
export function cells(options: PanelOptions): StatusHistory {
  return fill(new StatusHistory(), options)
    .withTransformation(partitionBySeries())
    .showValue(VisibilityMode.Never)
    .fillOpacity(90)
    .lineWidth(1)
    .rowHeight(0.9)
    .colWidth(0.95)
    .legend(legend())
    .tooltip(tooltip());
}

/** A table. Columns that only links need are hidden by `hide`. */
export function table(options: PanelOptions & { hide?: readonly string[] }): Table {
  const panel = fill(new Table(), options).filterable(true).showHeader(true);
  for (const name of options.hide ?? []) panel.overrideByName(name, [{ id: 'custom.hidden', value: true }]);
  return panel;
}

/** Shows a column of a table as a bar, for shares and counts. */
export const asGauge = (): DynamicConfigValue => ({
  id: 'custom.cellOptions',
  value: { type: TableCellDisplayMode.Gauge, mode: 'basic', valueDisplayMode: 'text' },
});

/** Shows a column of a table in the colour of its value. */
export const asColor = (): DynamicConfigValue => ({
  id: 'custom.cellOptions',
  value: { type: TableCellDisplayMode.ColorText },
});

/** Shows a column of seconds as a duration. */
export const inSeconds: DynamicConfigValue = { id: 'unit', value: 's' };

/** Shows a column of shares from 0 to 1 as bars, each as a part of the whole. */
export const asShare = (): DynamicConfigValue[] => [
  { id: 'unit', value: 'percentunit' },
  { id: 'min', value: 0 },
  { id: 'max', value: 1 },
  asGauge(),
];
