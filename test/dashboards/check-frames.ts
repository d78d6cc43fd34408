import type { PanelJson, TargetJson } from './committed-dashboards.ts';
import type { ColumnKind, Frame } from './query-frames.ts';

/** Returns what a panel could not draw of the answer to one of its queries. */
export function findProblems(panel: PanelJson, target: TargetJson, frames: readonly Frame[]): string[] {
  const problems = frames.flatMap((frame) => [
    ...unreadable(frame),
    ...(target.refId === 'config' ? [] : problemsOfType(panel, target, frame)),
  ]);
  return [...new Set(problems)];
}

/** Grafana shows a type that it does not know as bytes. */
function unreadable({ columns }: Frame): string[] {
  return columns
    .filter(({ kind }) => kind === 'other')
    .map(({ name }) => `column ${name} has no type that Grafana reads`);
}

function problemsOfType(panel: PanelJson, target: TargetJson, frame: Frame): string[] {
  if (panel.type === 'timeseries' || panel.type === 'status-history')
    return ofSeries(panel, target, frame, 'number');
  if (panel.type === 'state-timeline') return ofSeries(panel, target, frame, 'text');
  if (panel.type === 'barchart') return ofBars(panel, frame);
  if (panel.type === 'stat') return ofStat(frame);
  return panel.type === 'table' ? ofTable(panel, frame) : [`no test knows panels of type ${panel.type}`];
}

/** Series come either as frames of their own, or in one table that the panel divides. */
function ofSeries(panel: PanelJson, target: TargetJson, frame: Frame, kind: ColumnKind): string[] {
  const problems = [...ascending(frame)];
  if (target.rawSql === undefined) return problems;
  const divides = panel.transformations?.some(({ id }) => id === 'partitionByValues');
  if (!divides) problems.push('the panel does not divide the table into series');
  const wanted: (readonly [string, ColumnKind])[] = [
    ['time', 'time'],
    ...(panel.type === 'state-timeline' ? ([['end', 'time']] as const) : []),
    ['series', 'text'],
    ['Value', kind],
  ];
  const has = frame.columns.map(({ name, kind: its }) => `${name} ${its}`);
  const wants = wanted.map((column) => column.join(' '));
  if (has.join() !== wants.join())
    problems.push(`the columns are ${has.join(', ')}, not ${wants.join(', ')}`);
  const series = frame.rows.map((row) => row[wanted.length - 2]);
  if (series.some((name) => typeof name !== 'string' || name === '')) problems.push('a series has no name');
  return problems;
}

function ascending({ columns, rows }: Frame): string[] {
  if (columns[0]?.name !== 'time' || columns[0].kind !== 'time') return ['the first column is not the time'];
  const times = rows.map(([time]) => Number(time));
  if (times.some((time) => !Number.isFinite(time))) return ['a row has no time'];
  return times.every((time, k) => k === 0 || time >= (times[k - 1] ?? 0)) ? [] : ['times are not ascending'];
}

function ofBars({ transformations = [] }: PanelJson, { columns }: Frame): string[] {
  const kinds = new Map(columns.map(({ name, kind }) => [name, kind]));
  const matrix = transformations.find(({ id }) => id === 'groupingToMatrix')?.options as
    | { rowField: string; columnField: string; valueField: string }
    | undefined;
  if (matrix === undefined)
    return columns.every(({ kind }, place) => kind === (place === 0 ? 'text' : 'number'))
      ? []
      : ['the bars need one text and then numbers'];
  const { rowField, columnField, valueField } = matrix;
  const found = [kinds.get(rowField), kinds.get(columnField), kinds.get(valueField)].join();
  return found === 'text,text,number' ? [] : [`the columns for the bars are ${found}`];
}

function ofStat({ columns }: Frame): string[] {
  return columns.some(({ kind }) => kind === 'number') ? [] : ['the panel has no number'];
}

function ofTable({ fieldConfig, transformations = [] }: PanelJson, { columns }: Frame): string[] {
  // In the answer of InfluxDB the column of times is called Time.
  const names = columns.map(({ name }) => (name === 'time' ? 'Time' : name)).concat('time');
  const problems = names.length === new Set(names).size ? [] : ['two columns have one name'];
  for (const { matcher, properties } of fieldConfig?.overrides ?? []) {
    const isMeant =
      matcher.id === 'byName'
        ? names.includes(String(matcher.options))
        : names.some((name) => new RegExp(String(matcher.options)).test(name));
    if (!isMeant) problems.push(`no column is ${matcher.options}`);
    for (const [, name] of JSON.stringify(properties).matchAll(/__data\.fields\.(\w+)/g))
      if (!names.includes(name ?? '')) problems.push(`a link needs the column ${name}`);
  }
  for (const { id, options } of transformations)
    for (const { field } of id === 'sortBy' ? (options.sort as { field: string }[]) : [])
      if (!names.includes(field)) problems.push(`no column to sort by is ${field}`);
  return problems;
}
