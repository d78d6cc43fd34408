import type { Selection } from '../../config/config-schema.ts';
import type { Schedule } from '../../config/schedule.ts';
import { NAMES_PER_REQUEST } from '../../extract/current-reader.ts';
import type { LeftOut } from '../../load/rows/count-selected.ts';
import { type HistoryStream, rawHistory } from '../../series/history-stream.ts';
import { objectProperties } from '../../streams/object-properties.ts';
import type { SyncContext } from '../context.ts';
import { LOOKBACK_SHARE, SERIES_PER_READ } from '../history/plan-fill.ts';
import { streamsOf } from '../selection/history-streams.ts';
import {
  isNamedInFull,
  type SelectableSeries,
  type SeriesName,
  selectSeries,
} from '../selection/select-series.ts';
import { nameOfSelection } from '../selection/series-catalog.ts';
import type { ListExtents, Source } from './list-extents.ts';
import { MEASURED_SERIES, measureDensity } from './measure-density.ts';

/** The load that reading one selection puts on the platform. */
export interface SelectionCost {
  /** The selection as `objects/properties`. */
  readonly selection: string;
  readonly source: Source;
  readonly series: number | undefined;
  readonly pollRequestsPerHour: number | undefined;
  /** Values that are polled. */
  readonly valuesPerHour: number | undefined;
  readonly historyRequestsPerHour: number | undefined;
  /** New points, estimated from the last hour of some series. */
  readonly newPointsPerHour: number | undefined;
  /** All points that are read, also those that are read again because late ones may have come. */
  readonly pointsReadPerHour: number | undefined;
  /** Points per hour of one series, by stream. A density that is not known is undefined. */
  readonly density: Readonly<Record<string, number | undefined>>;
  /** Says what is not known, and why. */
  readonly problem?: string;
}

/** Returns the runs of a schedule per hour, on average. */
export type RunsPerHour = (schedule: Schedule) => number;

const HOUR_MS = 3_600_000;
const HOUR_SEC = 3_600;

/** A property, and the number of properties that it stands for. */
type Candidate = SelectableSeries & { readonly weight: number };

/**
 * Works out the costs of all selections, in their order, and the properties that no selection reads. Stores
 * nothing.
 */
export async function costSelections(
  ctx: SyncContext,
  { extents, runsPerHour }: { extents: ListExtents; runsPerHour: RunsPerHour },
): Promise<{ selections: SelectionCost[]; leftOut: LeftOut | undefined }> {
  const { chosen, leftOut, source, problem } = (await extents.isStored(objectProperties))
    ? await chooseStored(ctx)
    : await chooseListed(ctx, extents);
  const costs: SelectionCost[] = [];
  for (const [k, selection] of ctx.config.runtime.entries()) {
    const { count, names: series } = chosen[k] ?? { count: 0, names: [] };
    const named = isNamedInFull(selection);
    costs.push({
      ...(await costSelection(ctx, { selection, series, count, runsPerHour })),
      source: named ? 'stated' : source,
      ...(problem !== undefined && !named && { problem }),
    });
  }
  return { selections: costs, leftOut };
}

/** The series of all selections. */
interface Chosen {
  /** The series of each selection: how many they are, if that is known, and some or all of their names. */
  readonly chosen: readonly { readonly count: number | undefined; readonly names: readonly SeriesName[] }[];
  readonly leftOut: LeftOut | undefined;
  readonly source: Source;
  readonly problem?: string | undefined;
}

/** Chooses from an earlier scan of all properties. Postgres counts, since there may be millions. */
async function chooseStored({ config, catalog }: SyncContext): Promise<Chosen> {
  const chosen: Chosen['chosen'][number][] = [];
  for (const selection of config.runtime) chosen.push(await catalog.sample(selection, MEASURED_SERIES));
  return { chosen, leftOut: await catalog.countLeftOut(), source: 'stored' };
}

/** Chooses from the properties of some objects. */
async function chooseListed(ctx: SyncContext, extents: ListExtents): Promise<Chosen> {
  const { properties, source, share, problem } = await listProperties(ctx, extents);
  const { chosen, unrecorded, unmatched } = await selectSeries<Candidate>(ctx.config.runtime, {
    properties,
    named: (name) => ({ ...name, recorded: true, weight: 1 }),
  });
  const countAll = (some: readonly Candidate[]) =>
    Math.round(some.reduce((sum, each) => sum + each.weight, 0) / share);
  const isUnknown = source === 'unknown';
  return {
    chosen: ctx.config.runtime.map((selection, k) => {
      const names = chosen[k] ?? [];
      if (isNamedInFull(selection)) return { count: names.length, names };
      return { count: isUnknown ? undefined : countAll(names), names };
    }),
    leftOut: isUnknown ? undefined : { unrecorded: countAll(unrecorded), unmatched: countAll(unmatched) },
    source,
    problem,
  };
}

interface Listed {
  readonly properties: readonly Candidate[];
  readonly source: Source;
  /** Share of all objects whose properties are listed. */
  readonly share: number;
  readonly problem?: string;
}

/** Lists the properties of some objects of the platform. */
async function listProperties(ctx: SyncContext, extents: ListExtents): Promise<Listed> {
  if (!ctx.config.streams.object_properties?.enabled) {
    const problem = 'streams.object_properties is off and was never read, so no pattern matches a series';
    return { properties: [], source: 'stored', share: 1, problem };
  }
  const { sample, source, sampledShare: share, problem } = await extents.of(objectProperties);
  const properties = sample.map(({ values, weight }) => ({
    object: String(values.object),
    property: String(values.property),
    recorded: values.persisted === true || values.logged === true,
    weight,
  }));
  return { properties, source, share, ...(problem !== undefined && { problem }) };
}

interface SelectionQuestion {
  readonly selection: Selection;
  /** All series of the selection, or some of them. */
  readonly series: readonly SeriesName[];
  readonly count: number | undefined;
  readonly runsPerHour: RunsPerHour;
}

async function costSelection(
  ctx: SyncContext,
  { selection, series, count, runsPerHour }: SelectionQuestion,
): Promise<Omit<SelectionCost, 'source'>> {
  const { current, history } = selection;
  const polls = current.enabled ? runsPerHour(current.schedule) : 0;
  const streams = streamsOf(history);
  const measured =
    streams.includes(rawHistory) && count !== 0 ? await measureDensity(ctx, series, history.settleMs) : 0;
  const density = typeof measured === 'number' ? measured : undefined;
  // The types of the properties rule out some aggregates, but are not known here. An aggregate counts for all
  // properties.
  const densityOf = ({ aggregate, stepSec }: HistoryStream) =>
    aggregate === undefined ? density : HOUR_SEC / stepSec;
  const costs = streams.map((stream) => {
    const perSeries = densityOf(stream);
    if (count === undefined || perSeries === undefined) return undefined;
    const { rowsPerRead } = ctx.config.limits;
    const rowsPerHour = count * perSeries;
    return { rowsPerHour, ...costHistory({ history, stream, count, rowsPerHour, runsPerHour, rowsPerRead }) };
  });
  const sumOf = (amount: (cost: { rowsPerHour: number; requests: number; rows: number }) => number) =>
    costs.reduce<number | undefined>(
      (sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + amount(cost)),
      count === undefined ? undefined : 0,
    );
  return {
    selection: nameOfSelection(selection),
    series: count,
    pollRequestsPerHour: count === undefined ? undefined : polls * Math.ceil(count / NAMES_PER_REQUEST),
    valuesPerHour: count === undefined ? undefined : polls * count,
    historyRequestsPerHour: sumOf(({ requests }) => requests),
    newPointsPerHour: sumOf(({ rowsPerHour }) => rowsPerHour),
    pointsReadPerHour: sumOf(({ rows }) => rows),
    density: Object.fromEntries(streams.map((stream) => [stream.name, densityOf(stream)])),
    ...(typeof measured === 'string' && { problem: measured }),
  };
}

interface HistoryQuestion {
  readonly history: Selection['history'];
  readonly stream: HistoryStream;
  readonly count: number;
  /** Points per hour of all series together. */
  readonly rowsPerHour: number;
  readonly runsPerHour: RunsPerHour;
  readonly rowsPerRead: number;
}

/** Returns the requests and rows per hour for new points, for the lookback, and for the sweep. */
function costHistory(question: HistoryQuestion): { requests: number; rows: number } {
  const { history, stream, count, rowsPerHour, runsPerHour, rowsPerRead } = question;
  if (count === 0) return { requests: 0, rows: 0 };
  const chunks = Math.ceil(count / SERIES_PER_READ);
  // A bucket is asked for only when it is over.
  const increments = Math.min(runsPerHour(history.schedule), HOUR_SEC / stream.stepSec);
  const again = history.lookbackMs > 0 ? (LOOKBACK_SHARE * HOUR_MS) / history.lookbackMs : 0;
  const sweeps = history.sweep.enabled ? runsPerHour(history.sweep.schedule) : 0;
  const stretches = [
    { runs: increments, rows: rowsPerHour / increments },
    {
      runs: Math.min(runsPerHour(history.schedule), again),
      rows: (rowsPerHour * history.lookbackMs) / HOUR_MS,
    },
    { runs: sweeps, rows: (rowsPerHour * history.sweep.rangeMs) / HOUR_MS },
  ];
  const sum = { requests: 0, rows: 0 };
  for (const { runs, rows } of stretches.filter((stretch) => stretch.runs > 0)) {
    sum.requests += runs * chunks * Math.max(1, Math.ceil(rows / chunks / rowsPerRead));
    sum.rows += runs * rows;
  }
  return sum;
}
